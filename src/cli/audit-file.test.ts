import { expect, it } from 'vitest';
import { parseFlags } from '../flags/index.ts';
import { auditFile, auditFlags } from './audit-file.ts';

const withFlags = (argv: readonly string[], profile?: string): ReturnType<typeof auditFile>['auditFile'] =>
  auditFile({ ...parseFlags(argv, auditFlags).values, profile }, '/data').auditFile;

it('audits with a policy or the profile alone, within the limits of the benchmark', () => {
  expect(withFlags([])).toBeUndefined();
  expect(withFlags([], 'cis')).toMatchObject({
    path: '/data/audit/audit.log',
    maxAgeDays: 30,
    maxBackups: 10,
    maxSizeMegabytes: 100,
  });
  expect(withFlags(['--audit-log-path=/log', '--audit-log-maxage=0', '--audit-log-maxsize=1'], 'cis')).toMatchObject({
    path: '/log',
    maxAgeDays: 0,
    maxSizeMegabytes: 1,
  });
});

it('refuses a log without a policy, and a policy that cannot be read', () => {
  expect(() => withFlags(['--audit-log-path=/log'])).toThrow(/needs --audit-policy-file/);
  expect(() => withFlags(['--audit-policy-file=/nowhere'])).toThrow(/\/nowhere cannot be read/);
});
