/**
 * Authorization. `build.ts` builds the chain of authorizers: system:masters, then Node and RBAC by default. `rbac.ts` is
 * RBAC, `node/` the node authorizer, `abac.ts` ABAC, `webhook.ts` the authorization webhook. Privilege escalation through
 * roles and bindings is prevented in `admission/rbac-escalation.ts`.
 */
