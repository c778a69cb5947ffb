/**
 * How the API server calls out to extensions (admission webhooks, conversion webhooks, aggregated servers): where a
 * Service is to be found, HTTPS with kept-alive connections and a deadline, and what went wrong in upstream's words.
 */
export { ServiceResolver, type ResolvedEndpoint } from './service-resolver.ts';
export { WebhookClients, type WebhookClientConfig, type WebhookRequest } from './webhook-clients.ts';
export { connectionErrorText } from './connection-error-text.ts';
export { genericServerError } from './generic-server-error.ts';
