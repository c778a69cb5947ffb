/**
 * Admission webhooks: the plugins MutatingAdmissionWebhook and ValidatingAdmissionWebhook call the servers that
 * MutatingWebhookConfiguration and ValidatingWebhookConfiguration objects name.
 */
export { mutatingWebhookPlugin } from './mutating.ts';
export { validatingWebhookPlugin } from './validating.ts';
export { isFailedTest, patchProblem } from './patch-problem.ts';
export { webhookSource } from './webhook.ts';
export { WebhookMetrics } from './webhook-metrics.ts';
