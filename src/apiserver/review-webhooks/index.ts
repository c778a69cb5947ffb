/**
 * Asking a server outside: the client that authentication, authorization and audit webhooks share (a kubeconfig names the
 * server; failures that may pass are tried again), a cache of answers, and expressions that decide whether to ask.
 */
export { ReviewClient, type ReviewClientOptions } from './review-client.ts';
export { ExpiringCache } from './expiring-cache.ts';
export { compileExpression, type Expression } from './expression.ts';
