/** The audit log of `k8ts up`: with a policy file, or with a profile that has a policy. */
import fs from 'node:fs';
import path from 'node:path';
import { apiServerFlags } from '../apiserver/index.ts';
import { errorMessage } from '../base/index.ts';
import { auditLogIn, CIS_AUDIT_POLICY, type ClusterOptions } from '../cluster/index.ts';
import { type FlagTable, type FlagValues, UsageError } from '../flags/index.ts';
import { CommandError } from './command.ts';

/** What the CIS benchmark asks for: days, files, megabytes. */
const AUDIT_LOG_LIMITS = { maxAgeDays: 30, maxBackups: 10, maxSizeMegabytes: 100 } as const;

export const auditFlags = {
  'audit-policy-file': { ...apiServerFlags['audit-policy-file'], path: true },
  'audit-log-path': {
    kind: 'text',
    path: true,
    section: 'Audit',
    summary: 'Audit log file (default, with a policy or --profile cis: DIR/audit/audit.log)',
  },
  'audit-log-maxsize': { ...apiServerFlags['audit-log-maxsize'], default: AUDIT_LOG_LIMITS.maxSizeMegabytes },
  'audit-log-maxbackup': { ...apiServerFlags['audit-log-maxbackup'], default: AUDIT_LOG_LIMITS.maxBackups },
  'audit-log-maxage': { ...apiServerFlags['audit-log-maxage'], default: AUDIT_LOG_LIMITS.maxAgeDays },
} as const satisfies FlagTable;

type Values = FlagValues<typeof auditFlags> & { readonly profile: string | undefined };

/** With a policy, or with the profile that has one. Its log is bounded, unless flags say otherwise. */
export function auditFile(values: Values, directory: string): Pick<ClusterOptions, 'auditFile'> {
  const { 'audit-policy-file': policyFile, 'audit-log-path': log, profile } = values;
  if (policyFile === undefined && profile !== 'cis') {
    if (log !== undefined) throw new UsageError('--audit-log-path needs --audit-policy-file, or --profile cis');
    return {};
  }
  return {
    auditFile: {
      policy: policyFile === undefined ? CIS_AUDIT_POLICY : readPolicy(path.resolve(policyFile)),
      path: path.resolve(log ?? auditLogIn(directory)),
      maxAgeDays: values['audit-log-maxage'],
      maxBackups: values['audit-log-maxbackup'],
      maxSizeMegabytes: values['audit-log-maxsize'],
    },
  };
}

function readPolicy(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`the audit policy ${file} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}
