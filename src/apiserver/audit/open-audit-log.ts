import type { Context } from '../../kernel/index.ts';
import { AuditLogFile, type AuditLogFileOptions } from './log-file.ts';
import { PolicyAudit } from './policy-audit.ts';
import { loadAuditPolicy } from './policy.ts';

/** A policy (YAML) that is logged to one file. */
export const openAuditLog = (ctx: Context, policy: string, file: AuditLogFileOptions): PolicyAudit =>
  new PolicyAudit(ctx, loadAuditPolicy(policy), [new AuditLogFile(ctx, file)]);
