/**
 * What the webhooks of configuration files share (authentication, authorization, audit, image policy): a client from a
 * kubeconfig that retries, a cache of responses, and CEL expressions. Webhooks of API objects are in `webhook-client`.
 */
export { ReviewClient } from './review-client.ts';
export { ExpiringCache } from './expiring-cache.ts';
export { compileExpression, type Expression } from './expression.ts';
