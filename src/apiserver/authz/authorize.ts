/** The pipeline's question to the authorizers, and the refusal as upstream words it. */
import { forbidden, failure } from '../../machinery/status.ts';
import { quote } from '../../machinery/quote.ts';
import type { RequestInfo } from '../request-info.ts';
import type { UserInfo } from '../request.ts';
import type { AuthorizationAttributes, Authorizer } from './authorizer.ts';

export async function authorize(authorizer: Authorizer, user: UserInfo, info: RequestInfo, query: URLSearchParams): Promise<void> {
  const attributes = attributesOf(user, info, query);
  const { decision, reason } = await authorizer.authorize(attributes);
  if (decision !== 'allow') throw forbiddenRequest(attributes, reason);
}

export function attributesOf(user: UserInfo, info: RequestInfo, query: URLSearchParams): AuthorizationAttributes {
  return {
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
    ...(query.has('fieldSelector') ? { fieldSelector: query.get('fieldSelector')! } : {}),
    ...(query.has('labelSelector') ? { labelSelector: query.get('labelSelector')! } : {}),
  };
}

export function forbiddenRequest(attributes: AuthorizationAttributes, reason: string): Error {
  const who = `User ${quote(attributes.user.name)} cannot ${attributes.verb}`;
  const because = reason === '' ? '' : `: ${reason}`;
  if (!attributes.isResourceRequest) {
    return failure(403, 'Forbidden', `forbidden: ${who} path ${quote(attributes.path)}${because}`, {});
  }
  const resource = attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`;
  const where = attributes.namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(attributes.namespace)}`;
  return forbidden(
    { group: attributes.apiGroup, resource: attributes.resource },
    attributes.name,
    `${who} resource ${quote(resource)} in API group ${quote(attributes.apiGroup)} ${where}${because}`,
  );
}
