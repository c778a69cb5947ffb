import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import { createErrors, updateErrors, type Case } from '../testing/cases.ts';

const kind = { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices', namespaced: true };
const right: JsonObject = {
  metadata: { name: 's', namespace: 'default' },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.1.1.1'] }],
  ports: [{ name: 'http', protocol: 'TCP', port: 80 }],
};
const endpoint = (value: JsonObject): JsonObject => ({ endpoints: [{ addresses: ['10.1.1.1'], ...value }] });

describe('EndpointSlices', () => {
  const cases: Case[] = [
    ['right', {}, []],
    ['no type', { addressType: null }, ['addressType: Required value']],
    [
      'no address',
      endpoint({ addresses: [] }),
      ['endpoints[0].addresses: Required value: must contain at least 1 address'],
    ],
    [
      'another family',
      endpoint({ addresses: ['fd00::1'] }),
      ['endpoints[0].addresses: Invalid value: "fd00::1": must be an IPv4 address'],
    ],
    [
      'the host itself',
      endpoint({ addresses: ['127.0.0.1'] }),
      [
        'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      ],
    ],
    [
      'a short name',
      { addressType: 'FQDN', ...endpoint({ addresses: ['abc'] }) },
      [
        'endpoints[0].addresses[0]: Invalid value: "abc": should be a domain with at least two segments separated by dots',
      ],
    ],
    [
      'the same zone twice',
      endpoint({ hints: { forZones: [{ name: 'a' }, { name: 'a' }] } }),
      ['endpoints[0].hints.forZones[1].name: Duplicate value: "a"'],
    ],
    [
      'too many hints',
      endpoint({ hints: { forZones: Array.from({ length: 9 }, (_, i) => ({ name: `z${i}` })) } }),
      ['endpoints[0].hints.forZones: Too many: 9: must have at most 8 items'],
    ],
    [
      'two ports without a name',
      { ports: [{ protocol: 'TCP' }, { protocol: 'TCP' }] },
      ['ports[1].name: Duplicate value: ""'],
    ],
    ['a port without a protocol', { ports: [{ name: 'a' }] }, ['ports[0].protocol: Required value']],
    [
      'ports are told of before endpoints',
      { ports: [{ name: 'a', protocol: 'x' }], ...endpoint({ addresses: [] }) },
      [
        'ports[0].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"',
        'endpoints[0].addresses: Required value: must contain at least 1 address',
      ],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('keep their type', () => {
    const change = { addressType: 'IPv6', endpoints: [{ addresses: ['fd00::1'] }] };
    expect(updateErrors(kind, right, change)).toEqual(['addressType: Invalid value: "IPv6": field is immutable']);
  });
});
