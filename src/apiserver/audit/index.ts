/**
 * Who did what. Every request has an audit id; what is written of it, and when, is the policy's decision (`policy.ts`);
 * `event.ts` puts it into words, and backends take the events: a log file that rotates, or a webhook in batches.
 */
export { noAudit, type AuditLog, type AuditBackend } from './audit.ts';
export { PolicyAudit } from './policy-audit.ts';
export { loadAuditPolicy, type AuditPolicy } from './policy.ts';
export { AuditLogFile, type AuditLogFileOptions } from './log-file.ts';
export { AuditWebhook, type AuditWebhookOptions } from './webhook.ts';
