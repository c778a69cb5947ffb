/**
 * Auditing. The audit policy (`policy.ts`) decides the level and the stages at which a request is logged; `event.ts` builds
 * the audit events; the backends write them to a rotated log file (`log-file.ts`) or to a webhook in batches (`webhook.ts`).
 */
export { noAudit, type AuditLog, type AuditBackend, type AuditSink } from './audit.ts';
export { PolicyAudit } from './policy-audit.ts';
export { loadAuditPolicy } from './policy.ts';
export { AuditLogFile, type AuditLogFileOptions } from './log-file.ts';
export { openAuditLog } from './open-audit-log.ts';
export { AuditWebhook } from './webhook.ts';
export { BatchBackend, LOG_BATCHES, WEBHOOK_BATCHES, type BatchOptions } from './batch-backend.ts';
export { BlockingBackend } from './blocking-backend.ts';
export { TruncatingBackend } from './truncating-backend.ts';
