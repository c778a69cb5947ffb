/**
 * May they. `build.ts` puts the authorizers into a chain (system:masters, then Node and RBAC unless told otherwise);
 * `rbac.ts` answers from an index, `node/` from what each node's pods refer to, `abac.ts` from a file, `webhook.ts` asks
 * somebody else. `escalation.ts` keeps people from granting what they do not have.
 */
export { authorize, forbiddenRequest } from './authorize.ts';
export type { AuthorizationAttributes, Authorizer, Decision, ResolvedRules } from './authorizer.ts';
export { buildAuthorization, DEFAULT_AUTHORIZERS, type Authorization, type AuthorizerConfig } from './build.ts';
export { authorizersFromConfiguration } from './configuration.ts';
