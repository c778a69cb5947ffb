import { describe, expect, it } from 'vitest';
import type { ClusterOptions } from '../cluster-options.ts';
import { auditLogIn, optionsOf, sharedOptions } from './shared-options.ts';

const OPTIONS: ClusterOptions = {
  dataDirectory: '/first',
  bindAddress: '192.0.2.1',
  port: 6443,
  serviceClusterIpRange: '10.96.0.0/16',
  clusterCidr: '10.244.0.0/16',
  controllers: ['*'],
  nodes: 1,
};
const AUDIT = { policy: 'kind: Policy', maxAgeDays: 30, maxBackups: 10, maxSizeMegabytes: 100 };

describe('options that servers share', () => {
  it('are those of the cluster, not those of one machine', () => {
    expect(sharedOptions({ ...OPTIONS, profile: 'cis', featureGates: { A: 'true' } })).toEqual({
      port: 6443,
      serviceClusterIpRange: '10.96.0.0/16',
      clusterCidr: '10.244.0.0/16',
      controllers: ['*'],
      profile: 'cis',
      featureGates: { A: 'true' },
    });
  });

  it.each([
    ['in the data directory of each', auditLogIn('/first'), auditLogIn('/second')],
    ['at the chosen path on each', '/var/log/audit.log', '/var/log/audit.log'],
  ])('keep an audit log %s', (_, first, second) => {
    const shared = sharedOptions({ ...OPTIONS, auditFile: { ...AUDIT, path: first } });
    expect(optionsOf(JSON.parse(JSON.stringify(shared)) as typeof shared, '/second').auditFile).toEqual({
      ...AUDIT,
      path: second,
    });
  });
});
