/**
 * The right to create. A POST was authorized as `create` before it came here; a PUT or an apply of a name that does not
 * exist was authorized as `update` or `patch` only, and needs `create` on the same resource and name as well.
 */
import { internalError } from '../../machinery/errors/index.ts';
import { attributesOf, forbiddenRequest } from '../authz/authorize.ts';
import type { AuthorizationAttributes } from '../authz/authorizer.ts';
import type { Scope } from './scope.ts';

/** Resolves when the user of the request may create the object. Undefined when that is already known. */
export function authorizeCreate(scope: Scope): Promise<void> | undefined {
  return scope.info.verb === 'create' ? undefined : askAuthorizer(scope);
}

async function askAuthorizer({ backend, info, place, request, subresource, user }: Scope): Promise<void> {
  const attributes: AuthorizationAttributes = {
    ...attributesOf(user, info, request.query),
    verb: 'create',
    namespace: place.namespace,
    name: place.name,
    subresource,
  };
  const { decision, reason, error } = await backend.authorizer.authorize(attributes);
  if (decision === 'allow') return;
  throw error ? internalError(error) : forbiddenRequest(attributes, reason);
}
