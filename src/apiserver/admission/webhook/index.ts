/**
 * Dynamic admission by webhooks: servers outside this one that may change or refuse requests, as the objects of
 * MutatingWebhookConfiguration and ValidatingWebhookConfiguration name them.
 */
export { mutatingWebhookPlugin } from './mutating.ts';
export { validatingWebhookPlugin } from './validating.ts';
export { patchProblem } from './webhook-patch.ts';
export { webhookSource, type Webhook } from './webhook.ts';
export { WebhookMetrics } from './webhook-metrics.ts';
export type { Caller } from './call-webhook.ts';
