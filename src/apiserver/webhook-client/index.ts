/**
 * How the API server calls out to admission and conversion webhooks: HTTPS with kept-alive connections and a deadline, and
 * what went wrong in upstream's words.
 */
export { WebhookClients, type WebhookClientConfig, type WebhookRequest } from './webhook-clients.ts';
export { genericServerError } from './generic-server-error.ts';
