/**
 * Authorizes what an API of this process offers to every authenticated user. It is no RBAC rule, so that roles and
 * SelfSubjectRulesReview are those of any cluster. RBAC and webhooks are asked before it.
 */
import { ALLOW, NO_OPINION, type AuthorizationAttributes, type Authorizer } from './authorizer.ts';

/** Whether such an API serves the request, and for everyone. */
export type OpenToEveryone = (attributes: AuthorizationAttributes) => boolean;

export const localApiAuthorizer = (isOpen: OpenToEveryone): Authorizer => ({
  name: 'local APIs',
  authorize: (attributes) =>
    attributes.isResourceRequest && attributes.user.groups.includes('system:authenticated') && isOpen(attributes)
      ? ALLOW
      : NO_OPINION,
  concerns: isOpen,
});
