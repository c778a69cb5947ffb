/**
 * The client of admission and conversion webhooks: HTTPS with keep-alive and a timeout, and upstream's error messages.
 */
export { WebhookClients, type SendToWebhook, type WebhookClientConfig } from './webhook-clients.ts';
