import { describe, expect, it } from 'vitest';
import type { ServiceSpec } from '../../api/generated/core-v1.ts';
import { completeIpFamilies } from './ip-families.ts';

const service = (spec: ServiceSpec): { metadata: { name: string }; spec: ServiceSpec } => ({
  metadata: { name: 's' },
  spec: structuredClone(spec),
});

function complete(spec: ServiceSpec, families: ('IPv4' | 'IPv6')[], old?: ServiceSpec): ServiceSpec | string {
  const subject = service(spec);
  try {
    completeIpFamilies(subject, old && service(old), families);
  } catch (error) {
    return (error as Error).message;
  }
  return subject.spec;
}

describe('the families of a Service', () => {
  it.each([
    ['one family by default', {}, ['IPv4'], { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] }],
    ["the cluster's first family", {}, ['IPv6', 'IPv4'], { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] }],
    [
      'both when preferred and there',
      { ipFamilyPolicy: 'PreferDualStack' },
      ['IPv4', 'IPv6'],
      { ipFamilies: ['IPv4', 'IPv6'] },
    ],
    [
      'one when both are preferred but not there',
      { ipFamilyPolicy: 'PreferDualStack' },
      ['IPv4'],
      { ipFamilies: ['IPv4'] },
    ],
    [
      'the other family is added to the one that is named',
      { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] },
      ['IPv4', 'IPv6'],
      { ipFamilies: ['IPv6', 'IPv4'] },
    ],
    [
      'an address tells its family',
      { clusterIP: 'fd00::1', clusterIPs: ['fd00::1'] },
      ['IPv4', 'IPv6'],
      { ipFamilies: ['IPv6'] },
    ],
    [
      'headless without selector takes both, whatever the cluster has',
      { clusterIP: 'None', clusterIPs: ['None'] },
      ['IPv4'],
      { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] },
    ],
    [
      'headless with selector is like any other',
      { clusterIP: 'None', clusterIPs: ['None'], selector: { a: 'b' } },
      ['IPv4'],
      { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] },
    ],
    ['external names have none', { type: 'ExternalName' }, ['IPv4'], { type: 'ExternalName' }],
  ] as [string, ServiceSpec, ('IPv4' | 'IPv6')[], ServiceSpec][])('%s', (_name, spec, families, expected) => {
    expect(complete(spec, families)).toMatchObject(expected);
  });

  it.each([
    [
      'two are required where there is one',
      { ipFamilyPolicy: 'RequireDualStack' },
      ['IPv4'],
      'this cluster is not configured for dual-stack services',
    ],
    [
      'a family that is not there',
      { ipFamilies: ['IPv6'] },
      ['IPv4'],
      'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    ],
    [
      'an address of a family that is not there',
      { clusterIP: 'fd00::1', clusterIPs: ['fd00::1'] },
      ['IPv4'],
      'IPv6 is not configured on this cluster',
    ],
    [
      'two families with one stack',
      { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4', 'IPv6'] },
      ['IPv4', 'IPv6'],
      "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
    ],
    ['an address that is none', { clusterIP: 'x', clusterIPs: ['x'] }, ['IPv4'], 'must be a valid IP address'],
  ] as [string, ServiceSpec, ('IPv4' | 'IPv6')[], string][])('refuses %s', (_name, spec, families, message) => {
    expect(complete(spec, families)).toContain(message);
  });

  const dual: ServiceSpec = {
    type: 'ClusterIP',
    ipFamilyPolicy: 'RequireDualStack',
    ipFamilies: ['IPv4', 'IPv6'],
    clusterIP: '10.96.0.9',
    clusterIPs: ['10.96.0.9', 'fd00::9'],
  };

  it('releases the second address when the policy becomes SingleStack', () => {
    expect(complete({ ...dual, ipFamilyPolicy: 'SingleStack' }, ['IPv4', 'IPv6'], dual)).toMatchObject({
      clusterIPs: ['10.96.0.9'],
      ipFamilies: ['IPv4'],
    });
  });

  it('does not release it otherwise', () => {
    expect(complete({ ...dual, clusterIPs: ['10.96.0.9'] }, ['IPv4', 'IPv6'], dual)).toContain(
      "must be 'SingleStack' to release the secondary cluster IP",
    );
  });

  it('does not change a Service with a preference when the cluster gains a family', () => {
    const single: ServiceSpec = {
      type: 'ClusterIP',
      ipFamilyPolicy: 'PreferDualStack',
      ipFamilies: ['IPv4'],
      clusterIP: '10.96.0.9',
      clusterIPs: ['10.96.0.9'],
    };
    expect(complete(single, ['IPv4', 'IPv6'], single)).toMatchObject({ ipFamilies: ['IPv4'] });
  });
});
