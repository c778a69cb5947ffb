import { describe, expect, it } from 'vitest';
import { createErrors, createWarnings, testedKind, updateErrors, type Manifest } from '../../testing/manifests.ts';

const SERVICES = testedKind('services');
const ENDPOINTS = testedKind('endpoints');
const PORT = { port: 80 };

const service = (spec: Manifest = {}, metadata: Manifest = {}): Manifest => ({
  metadata,
  spec: { ports: [PORT], ...spec },
});
const stored = (spec: Manifest = {}): Manifest =>
  service({
    clusterIP: '10.96.0.5',
    clusterIPs: ['10.96.0.5'],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ...spec,
  });
const brief = (errors: readonly string[]): string[] => errors.map((text) => text.replace(/ \(e\.g\. .*/s, ''));

describe('a service', () => {
  it.each<readonly [name: string, manifest: Manifest, errors: readonly string[]]>([
    ['a small service', service(), []],
    ['a name that starts with a digit', service({}, { name: '1a' }), []],
    ['a name with a dot', service({}, { name: 'a.b' }), ['metadata.name: Invalid value: "a.b": must not contain dots']],
    ['no ports', service({ ports: [] }), ['spec.ports: Required value']],
    ['no ports and no address', service({ ports: [], clusterIP: 'None', clusterIPs: ['None'] }), []],
    [
      'two ports without names',
      service({ ports: [{ port: 1 }, { port: 2 }] }),
      ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
    ],
    [
      'a port twice',
      service({
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 1 },
        ],
      }),
      [
        'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":1,"TargetPort":0,"NodePort":0}',
      ],
    ],
    [
      'a port of the nodes inside of the cluster',
      service({ ports: [{ port: 1, nodePort: 30000 }] }),
      ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ],
    [
      'a port of the nodes twice',
      service({
        type: 'NodePort',
        ports: [
          { name: 'a', port: 1, nodePort: 30000 },
          { name: 'b', port: 2, nodePort: 30000 },
        ],
      }),
      ['spec.ports[1].nodePort: Duplicate value: 30000'],
    ],
    [
      'an unknown type',
      service({ type: 'x' }),
      ['spec.type: Unsupported value: "x": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"'],
    ],
    [
      'a load balancer without an address',
      service({ type: 'LoadBalancer', clusterIP: 'None', clusterIPs: ['None'] }),
      ['spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for LoadBalancer services'],
    ],
    ['another name without one', service({ type: 'ExternalName' }), ['spec.externalName: Required value']],
    ['another name, fully qualified', service({ type: 'ExternalName', externalName: 'a.b.' }), []],
    [
      'an address and another list',
      service({ clusterIP: '10.96.0.5', clusterIPs: ['10.96.0.6'] }),
      ['spec.clusterIPs: Invalid value: ["10.96.0.6"]: first value must match `clusterIP`'],
    ],
    [
      'no address besides another',
      service({ clusterIP: 'None', clusterIPs: ['None', '10.96.0.6'] }),
      ['spec.clusterIPs: Invalid value: ["None","10.96.0.6"]: \'None\' must be the first and only value'],
    ],
    [
      'two addresses of a family',
      service({ clusterIP: '10.96.0.5', clusterIPs: ['10.96.0.5', '10.96.0.6'] }),
      ['spec.clusterIPs: Invalid value: ["10.96.0.5","10.96.0.6"]: may specify no more than one IP for each IP family'],
    ],
    [
      'an address of the other family',
      service({ clusterIP: '10.96.0.5', clusterIPs: ['10.96.0.5'], ipFamilies: ['IPv6'] }),
      ['spec.clusterIPs[0]: Invalid value: "10.96.0.5": expected an IPv6 value as indicated by `ipFamilies[0]`'],
    ],
    ['a family twice', service({ ipFamilies: ['IPv4', 'IPv4'] }), ['spec.ipFamilies[1]: Duplicate value: "IPv4"']],
    [
      'an affinity that lasts too long',
      service({ sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 86401 } } }),
      [
        'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400',
      ],
    ],
    [
      'an external address of the node itself',
      service({ externalIPs: ['127.0.0.1'] }),
      ['spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    ],
    [
      'sources without a load balancer',
      service({ loadBalancerSourceRanges: ['10.0.0.0/8'] }),
      ["spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'"],
    ],
    [
      'a source that is no block',
      service({ type: 'LoadBalancer', loadBalancerSourceRanges: ['x'] }),
      ['spec.LoadBalancerSourceRanges[0]: Invalid value: "x": must be a valid CIDR value,'],
    ],
    [
      'a class without a load balancer',
      service({ loadBalancerClass: 'a/b' }),
      ["spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"],
    ],
    [
      'a policy for traffic from outside that does not come',
      service({ externalTrafficPolicy: 'Local' }),
      ['spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'],
    ],
    [
      'a health check that is not needed',
      service({ type: 'NodePort', healthCheckNodePort: 30001 }),
      [
        "spec.healthCheckNodePort: Invalid value: 30001: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ],
    ],
    [
      'unknown policies',
      service({ internalTrafficPolicy: 'x', trafficDistribution: 'y' }),
      [
        'spec.internalTrafficPolicy: Unsupported value: "x": supported values: "Cluster", "Local"',
        'spec.trafficDistribution: Unsupported value: "y": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
      ],
    ],
    [
      'two annotations that disagree',
      service(
        {},
        {
          annotations: {
            'service.kubernetes.io/topology-mode': 'a',
            'service.kubernetes.io/topology-aware-hints': 'b',
          },
        },
      ),
      [
        'metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: "a": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified',
      ],
    ],
  ])('%s', (_, manifest, errors) => {
    expect(brief(createErrors(SERVICES, manifest))).toEqual(errors);
  });
});

describe('an update of a service', () => {
  it.each<readonly [name: string, from: Manifest, to: Manifest, errors: readonly string[]]>([
    ['another selector', stored({ selector: { a: 'b' } }), stored({ selector: { a: 'c' } }), []],
    [
      'another address',
      stored(),
      stored({ clusterIP: '10.96.0.6', clusterIPs: ['10.96.0.6'] }),
      ['spec.clusterIPs[0]: Invalid value: ["10.96.0.6"]: may not change once set'],
    ],
    [
      'a second family',
      stored(),
      stored({ clusterIPs: ['10.96.0.5', 'fd00::1'], ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'PreferDualStack' }),
      [],
    ],
    [
      'a second family goes, unsaid',
      stored({ clusterIPs: ['10.96.0.5', 'fd00::1'], ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'PreferDualStack' }),
      stored({ ipFamilyPolicy: 'PreferDualStack' }),
      [
        'spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to \'SingleStack\' when releasing the secondary clusterIP',
        'spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to \'SingleStack\' when releasing the secondary ipFamily',
      ],
    ],
    [
      'another class',
      stored({ type: 'LoadBalancer', loadBalancerClass: 'a/b' }),
      stored({ type: 'LoadBalancer', loadBalancerClass: 'a/c' }),
      ['spec.loadBalancerClass: Invalid value: "a/c": may not change once set'],
    ],
    [
      'a sloppy address that was there',
      stored({ externalIPs: ['010.0.0.1'] }),
      stored({ externalIPs: ['010.0.0.1'] }),
      [],
    ],
  ])('%s', (_, from, to, errors) => {
    expect(updateErrors(SERVICES, { from, to })).toEqual(errors);
  });

  it.each<readonly [name: string, to: Manifest, errors: readonly string[]]>([
    [
      'an address outside',
      { ...stored({ type: 'LoadBalancer' }), status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } },
      [],
    ],
    [
      'an address without a load balancer',
      { ...stored(), status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } },
      ["status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"],
    ],
    [
      'an address as a name',
      { ...stored({ type: 'LoadBalancer' }), status: { loadBalancer: { ingress: [{ hostname: '1.2.3.4' }] } } },
      ['status.loadBalancer.ingress[0].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address'],
    ],
  ])('status: %s', (_, to, errors) => {
    expect(updateErrors(SERVICES, { from: stored({ type: 'LoadBalancer' }), to, subresource: 'status' })).toEqual(
      errors,
    );
  });
});

describe('warnings about services', () => {
  it.each<readonly [name: string, manifest: Manifest, warnings: readonly string[]]>([
    ['nothing', service(), []],
    [
      'external addresses',
      service({ externalIPs: ['1.2.3.4'] }),
      ['spec.externalIPs is deprecated and may no longer be implemented in some clusters'],
    ],
    [
      'fields that do nothing',
      service({ clusterIP: 'None', clusterIPs: ['None'], sessionAffinity: 'ClientIP', externalIPs: ['1.2.3.4'] }),
      ['spec.externalIPs is ignored for headless services', 'spec.SessionAffinity is ignored for headless services'],
    ],
    [
      'a distribution out of use',
      service({ trafficDistribution: 'PreferClose' }),
      ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'],
    ],
  ])('%s', (_, manifest, warnings) => {
    expect(createWarnings(SERVICES, manifest)).toEqual(warnings);
  });
});

describe('endpoints', () => {
  it.each<readonly [name: string, subset: Manifest, errors: readonly string[]]>([
    ['an address', { addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }, []],
    ['none', {}, ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`']],
    [
      'one that is none',
      { addresses: [{ ip: 'x' }] },
      [
        'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address,',
        'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address',
      ],
    ],
    [
      'two ports, one without a name',
      { addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }, { name: 'a', port: 81 }] },
      ['subsets[0].ports[0].name: Required value'],
    ],
  ])('%s', (_, subset, errors) => {
    expect(brief(createErrors(ENDPOINTS, { subsets: [subset] }))).toEqual(errors);
  });
});
