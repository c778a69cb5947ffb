/** Authorizes a request, and builds the 403 in upstream's words. */
import { quote } from '../../base/index.ts';
import { failure, forbidden, type StatusError } from '../../machinery/errors/index.ts';
import { FilterFailure, withoutMarkup } from '../request/filter-failure.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { UserInfo } from '../request/request.ts';
import type { AuthorizationAttributes, Authorizer, Decision } from './authorizer.ts';
import { fieldRequirements, labelRequirements } from './selectors.ts';

/** Synchronous unless an authorizer has to call a webhook. */
export const authorize = (
  authorizer: Authorizer,
  user: UserInfo,
  info: RequestInfo,
  query: URLSearchParams,
): Decision | Promise<Decision> => authorizer.authorize(attributesOf(user, info, query));

/** The error for a request that no authorizer allowed. */
export const refusal = (
  { reason, error }: Decision,
  user: UserInfo,
  info: RequestInfo,
  query: URLSearchParams,
): Error => (error ? new FilterFailure(error) : forbiddenRequest(attributesOf(user, info, query), reason));

const SELECTOR_VERBS = new Set(['list', 'watch', 'deletecollection']);

export function attributesOf(user: UserInfo, info: RequestInfo, query: URLSearchParams): AuthorizationAttributes {
  const attributes: AuthorizationAttributes = {
    user,
    verb: info.verb,
    isResourceRequest: info.isResourceRequest,
    apiGroup: info.apiGroup,
    apiVersion: info.apiVersion,
    namespace: info.namespace,
    resource: info.resource,
    subresource: info.subresource,
    name: info.name,
    path: info.path,
  };
  if (!info.isResourceRequest || !SELECTOR_VERBS.has(info.verb)) return attributes;
  const fieldSelector = fieldRequirements(query.get('fieldSelector'));
  const labelSelector = labelRequirements(query.get('labelSelector'));
  return { ...attributes, ...(fieldSelector ? { fieldSelector } : {}), ...(labelSelector ? { labelSelector } : {}) };
}

export function forbiddenRequest(attributes: AuthorizationAttributes, reason: string): StatusError {
  const subject = `User ${quote(attributes.user.name)} cannot ${attributes.verb}`;
  const because = reason === '' ? '' : `: ${reason}`;
  if (!attributes.isResourceRequest) {
    return failure(
      403,
      'Forbidden',
      `forbidden: ${withoutMarkup(`${subject} path ${quote(attributes.path)}`)}${because}`,
      {},
    );
  }
  const resource =
    attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`;
  const where =
    attributes.namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(attributes.namespace)}`;
  return forbidden(
    { group: attributes.apiGroup, resource: attributes.resource },
    attributes.name,
    `${withoutMarkup(`${subject} resource ${quote(resource)} in API group ${quote(attributes.apiGroup)} ${where}`)}${because}`,
  );
}
