import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import { createErrors, statusErrors, updateErrors, type Case } from '../testing/cases.ts';

const networking = (plural: string, namespaced: boolean) => ({
  group: 'networking.k8s.io',
  version: 'v1',
  plural,
  namespaced,
});
const CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

describe('Ingresses', () => {
  const kind = networking('ingresses', true);
  const service = { service: { name: 's', port: { number: 80 } } };
  const path = (value: JsonObject): JsonObject => ({
    spec: {
      rules: [{ host: 'a.example', http: { paths: [{ path: '/', pathType: 'Prefix', backend: service, ...value }] } }],
    },
  });
  const right: JsonObject = {
    metadata: { name: 'i', namespace: 'default' },
    spec: { defaultBackend: service },
    status: { loadBalancer: {} },
  };
  const AT = 'spec.rules[0].http.paths[0]';
  const cases: Case[] = [
    ['right', path({}), []],
    [
      'neither rules nor backend',
      { spec: { defaultBackend: null } },
      ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
    ],
    [
      'address as host',
      { spec: { rules: [{ host: '1.2.3.4' }] } },
      ['spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address'],
    ],
    [
      'star in the middle',
      { spec: { rules: [{ host: 'a.*.example' }] } },
      [
        expect.stringContaining(
          'spec.rules[0].host: Invalid value: "a.*.example": a wildcard DNS-1123 subdomain must start with',
        ) as string,
      ],
    ],
    ['no path type', path({ pathType: null }), [`${AT}.pathType: Required value: pathType must be specified`]],
    ['relative path', path({ path: 'a' }), [`${AT}.path: Invalid value: "a": must be an absolute path`]],
    ['path that climbs', path({ path: '/a/..' }), [`${AT}.path: Invalid value: "/a/..": cannot end with '/..'`]],
    ['escaped slash', path({ path: '/a%2Fb' }), [`${AT}.path: Invalid value: "/a%2Fb": must not contain '%2F'`]],
    ['anything goes where the controller decides', path({ path: '/a/../b', pathType: 'ImplementationSpecific' }), []],
    [
      'backend with two ports',
      path({ backend: { service: { name: 's', port: { number: 1, name: 'a' } } } }),
      [`${AT}.backend: Invalid value: "": cannot set both port name & port number`],
    ],
    [
      'backend without a kind',
      path({ backend: { resource: { name: 'r', kind: '' } } }),
      [`${AT}.backend.resource.kind: Required value`],
    ],
    [
      'secret of a bad name',
      { spec: { tls: [{ secretName: 'A' }] } },
      [expect.stringContaining('spec.tls[0].secretName: Invalid value: "A"') as string],
    ],
    [
      'another class in the annotation',
      { metadata: { annotations: { 'kubernetes.io/ingress.class': 'x' } }, spec: { ingressClassName: 'y' } },
      [
        'annotations.kubernetes.io/ingress.class: Invalid value: "x": must match `ingressClassName` when both are specified',
      ],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('report addresses that are addresses', () => {
    expect(statusErrors(kind, right, { status: { loadBalancer: { ingress: [{ ip: '01.2.3.4' }] } } })).toEqual([
      'status.loadBalancer.ingress[0].ip: Invalid value: "01.2.3.4": must not have leading 0s',
    ]);
  });
  it('keep a bad secret name that is stored', () => {
    const stored = { ...right, spec: { defaultBackend: service, tls: [{ secretName: 'A' }] } };
    expect(updateErrors(kind, stored, { metadata: { labels: { a: 'b' } } })).toEqual([]);
  });
});

describe('IngressClasses', () => {
  const kind = networking('ingressclasses', false);
  const right: JsonObject = { metadata: { name: 'c' }, spec: { controller: 'a.io/b' } };
  const parameters = (value: JsonObject): JsonObject => ({
    spec: { parameters: { kind: 'K', name: 'n', scope: 'Cluster', ...value } },
  });
  const cases: Case[] = [
    ['right', parameters({}), []],
    ['no controller', { spec: { controller: null } }, ['spec.controller: Required value']],
    [
      'parameters of a cluster in a namespace',
      parameters({ namespace: 'x' }),
      ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
    ],
    [
      'parameters of some namespace',
      parameters({ scope: 'Namespace' }),
      ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
    ],
    ['no scope', parameters({ scope: null }), ['spec.parameters.scope: Required value']],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('keep their controller', () => {
    expect(updateErrors(kind, right, { spec: { controller: 'a.io/c' } })).toEqual([
      'spec.controller: Invalid value: "a.io/c": field is immutable',
    ]);
  });
});

describe('NetworkPolicies', () => {
  const kind = networking('networkpolicies', true);
  const right: JsonObject = { metadata: { name: 'p', namespace: 'default' }, spec: { podSelector: {} } };
  const from = (peer: JsonObject): JsonObject => ({ spec: { ingress: [{ from: [peer] }] } });
  const port = (value: JsonObject): JsonObject => ({ spec: { egress: [{ ports: [value] }] } });
  const cases: Case[] = [
    ['right', {}, []],
    ['a peer that is nobody', from({}), ['spec.ingress[0].from[0]: Required value: must specify a peer']],
    [
      'a block and pods',
      from({ ipBlock: { cidr: '10.0.0.0/8' }, podSelector: {} }),
      ['spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer'],
    ],
    [
      'no CIDR',
      from({ ipBlock: { cidr: 'x' } }),
      [`spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "x": ${CIDR}`],
    ],
    [
      'an exception outside',
      from({ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] } }),
      ['spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`'],
    ],
    [
      'protocol',
      port({ protocol: 'ICMP' }),
      ['spec.egress[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"'],
    ],
    [
      'an end without a start',
      port({ endPort: 5 }),
      ['spec.egress[0].ports[0].endPort: Invalid value: 5: may not be specified when `port` is not specified'],
    ],
    [
      'an end before the start',
      port({ port: 80, endPort: 79 }),
      ['spec.egress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`'],
    ],
    [
      'an end after a name',
      port({ port: 'http', endPort: 79 }),
      ['spec.egress[0].ports[0].endPort: Invalid value: 79: may not be specified when `port` is non-numeric'],
    ],
    [
      'too many types',
      { spec: { policyTypes: ['Ingress', 'Egress', 'Egress'] } },
      ['spec.policyTypes: Invalid value: ["Ingress","Egress","Egress"]: may not specify more than two policyTypes'],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('accept a stored sloppy CIDR, but no new one', () => {
    const stored = { ...right, spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.1/8' } }] }] } };
    expect(updateErrors(kind, stored, { metadata: { labels: { a: 'b' } } })).toEqual([]);
    expect(updateErrors(kind, stored, from({ ipBlock: { cidr: '10.0.0.2/8' } }))).toEqual([
      'spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "10.0.0.2/8": must not have bits set beyond the prefix length',
    ]);
  });
});

describe('ServiceCIDRs and IPAddresses', () => {
  const cidr = networking('servicecidrs', false);
  const ip = networking('ipaddresses', false);
  const range: JsonObject = { metadata: { name: 'r' }, spec: { cidrs: ['10.1.0.0/24'] } };
  const address: JsonObject = {
    metadata: { name: '10.1.0.5' },
    spec: { parentRef: { resource: 'services', name: 's', namespace: 'default' } },
  };
  const ranges: Case[] = [
    ['right', { spec: { cidrs: ['10.1.0.0/24', 'fd00::/64'] } }, []],
    ['none', { spec: { cidrs: [] } }, ['spec.cidrs: Required value: at least one CIDR required']],
    [
      'two of a family',
      { spec: { cidrs: ['10.1.0.0/24', '10.2.0.0/24'] } },
      [
        'spec.cidrs: Invalid value: ["10.1.0.0/24","10.2.0.0/24"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
      ],
    ],
    [
      'not canonical',
      { spec: { cidrs: ['fd00:0::/64'] } },
      ['spec.cidrs[0]: Invalid value: "fd00:0::/64": must be in canonical form ("fd00::/64")'],
    ],
  ];
  it.each(ranges)('range: %s', (_name, change, errors) => {
    expect(createErrors(cidr, range, change)).toEqual(errors);
  });
  const addresses: Case[] = [
    ['right', {}, []],
    [
      'a name that is no address',
      { metadata: { name: 'x' } },
      ['metadata.name: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ],
    ['nobody’s', { spec: { parentRef: null } }, ['spec.parentRef: Required value']],
    ['of something nameless', { spec: { parentRef: { name: null } } }, ['spec.parentRef.name: Required value']],
  ];
  it.each(addresses)('address: %s', (_name, change, errors) => {
    expect(createErrors(ip, address, change)).toEqual(errors);
  });
  it('are immutable', () => {
    expect(updateErrors(cidr, range, { spec: { cidrs: ['10.2.0.0/24'] } })).toEqual([
      'spec.cidrs[0]: Invalid value: "10.2.0.0/24": field is immutable',
    ]);
    expect(updateErrors(ip, address, { spec: { parentRef: { name: 't' } } })).toEqual([
      'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"default","Name":"t"}: field is immutable',
    ]);
  });
});
