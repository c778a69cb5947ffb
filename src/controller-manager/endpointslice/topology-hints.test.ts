import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node, Service } from '../../api/generated/core-v1.ts';
import type { Endpoint } from '../../api/generated/discovery-v1.ts';
import { startFixture, type ControllerFixture } from '../testing/index.ts';
import { wantsTopologyHints, withTopologyHints, zoneShares } from './topology-hints.ts';

interface NodeCase {
  readonly zone?: string;
  readonly cpu?: string;
  readonly ready?: boolean;
  readonly label?: string;
}

const node = ({ zone, cpu, ready = true, label }: NodeCase): Node => ({
  metadata: {
    labels: { ...(zone ? { 'topology.kubernetes.io/zone': zone } : {}), ...(label ? { [label]: '' } : {}) },
  },
  status: {
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    ...(cpu ? { allocatable: { cpu } } : {}),
  },
});

describe('zoneShares', () => {
  it.each<[string, NodeCase[], Record<string, number> | undefined]>([
    [
      'two zones',
      [
        { zone: 'a', cpu: '3' },
        { zone: 'b', cpu: '1000m' },
      ],
      { a: 0.75, b: 0.25 },
    ],
    [
      'one zone',
      [
        { zone: 'a', cpu: '3' },
        { zone: 'a', cpu: '1' },
      ],
      undefined,
    ],
    ['a node without a zone', [{ zone: 'a', cpu: '3' }, { zone: 'b', cpu: '1' }, { cpu: '1' }], undefined],
    ['a node without CPUs', [{ zone: 'a', cpu: '3' }, { zone: 'b', cpu: '1' }, { zone: 'c' }], undefined],
    [
      'nodes that do not count',
      [
        { zone: 'a', cpu: '1' },
        { zone: 'b', cpu: '1' },
        { zone: 'c', cpu: '1', ready: false },
        { zone: 'd', cpu: '1', label: 'node-role.kubernetes.io/control-plane' },
      ],
      { a: 0.5, b: 0.5 },
    ],
  ])('%s', (_name, nodes, shares) => {
    const found = zoneShares(nodes.map(node));
    expect(found && Object.fromEntries(found)).toEqual(shares);
  });
});

describe('withTopologyHints', () => {
  /** One endpoint a letter, its zone; upper case for one that is not ready. */
  const endpoints = (zones: string): Endpoint[] =>
    [...zones].map((zone, index) => ({
      addresses: [`10.0.0.${index}`],
      conditions: { ready: zone === zone.toLowerCase() },
      ...(zone === '-' ? {} : { zone: zone.toLowerCase() }),
    }));
  const shares = (text: string): Map<string, number> =>
    new Map(text.split(' ').map((part) => [part[0]!, Number(part.slice(1))]));
  const hints = (zones: string, by: string | undefined, current = ''): string => {
    const { groups, problem } = withTopologyHints([{ addressType: 'IPv4', ports: [], endpoints: endpoints(zones) }], {
      shares: by === undefined ? undefined : shares(by),
      currentZone: ({ addresses }) => current[Number(addresses[0]!.split('.')[3])],
    });
    return (
      problem ?? groups.flatMap((group) => group.endpoints.map((one) => one.hints?.forZones?.[0]?.name ?? '.')).join('')
    );
  };

  it.each([
    ['each its own zone', 'aabb', 'a0.5 b0.5', '', 'aabb'],
    ['the fuller zone gives', 'aaab', 'a0.5 b0.5', '', 'baab'],
    ['to the zone without any', 'aaabbb', 'a0.34 b0.33 c0.33', '', 'caacbb'],
    ['the shares need not be equal', 'aabb', 'a0.75 b0.25', '', 'aaab'],
    ['what is small enough stays', 'aaab', 'a0.5 b0.5', 'baab', 'baab'],
    ['hints are kept as long as they fit', 'aaab', 'a0.5 b0.5', 'abab', 'abab'],
    ['those of a zone that is gone are not', 'aabb', 'a0.5 b0.5', 'aacc', 'aabb'],
    ['endpoints that are not ready have none', 'aaBb', 'a0.67 b0.33', '', 'aa.b'],
  ])('%s', (_name, zones, by, current, expected) => expect(hints(zones, by, current)).toBe(expected));

  it.each([
    ['too little is known of the nodes', 'aabb', undefined, /^Insufficient Node information/],
    ['fewer endpoints than zones', 'ab', 'a0.3 b0.3 c0.4', 'Insufficient number of endpoints (2 endpoints, 3 zones)'],
    [
      'a zone cannot have enough',
      'aab',
      'a0.45 b0.45 c0.1',
      'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 3 zones)',
    ],
    ['an endpoint without a zone', 'aab-', 'a0.5 b0.5', 'One or more endpoints do not have a zone specified'],
  ])('%s', (_name, zones, by, problem) => expect(hints(zones, by)).toMatch(problem));
});

describe('wantsTopologyHints', () => {
  const service = (annotations: Record<string, string>): Service => ({ metadata: { annotations } });
  it.each<[Record<string, string>, boolean]>([
    [{}, false],
    [{ 'service.kubernetes.io/topology-mode': 'Auto' }, true],
    [{ 'service.kubernetes.io/topology-mode': 'auto' }, true],
    [{ 'service.kubernetes.io/topology-mode': 'Other' }, false],
    [{ 'service.kubernetes.io/topology-aware-hints': 'auto' }, true],
    [
      { 'service.kubernetes.io/topology-aware-hints': 'Disabled', 'service.kubernetes.io/topology-mode': 'Auto' },
      false,
    ],
  ])('%o', (annotations, wanted) => expect(wantsTopologyHints(service(annotations))).toBe(wanted));
});

describe('a Service with the annotation', () => {
  let fixture: ControllerFixture;
  const namespace = 'default';
  beforeAll(async () => {
    fixture = await startFixture({ controllers: ['endpointslice-controller'] });
    for (const zone of ['a', 'b']) {
      const status = {
        allocatable: { cpu: '1' },
        conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: null, lastTransitionTime: null }],
      };
      const nodes = fixture.client.resource('v1/nodes');
      await nodes.create({ metadata: { name: zone, labels: { 'topology.kubernetes.io/zone': zone } } });
      await nodes.patch({ name: zone }, { status }, { type: 'merge', subresource: 'status' });
    }
    await fixture.start();
  });
  afterAll(() => fixture.stop());

  const makePod = async (name: string, nodeName: string, ip: string): Promise<void> => {
    const pods = fixture.client.resource('v1/pods');
    const spec = { nodeName, terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] };
    await pods.create({ metadata: { name, namespace, labels: { app: 's' } }, spec });
    const conditions = [{ type: 'Ready', status: 'True' }];
    const status = { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions };
    await pods.patch({ namespace, name }, { status }, { type: 'merge', subresource: 'status' });
  };
  const slices = () => fixture.client.resource('discovery.k8s.io/v1/endpointslices');
  const zones = async (): Promise<string> =>
    (await slices().list({ namespace, labelSelector: 'kubernetes.io/service-name=s' })).items
      .flatMap(({ endpoints = [] }) => endpoints.map(({ hints }) => hints?.forZones?.[0]?.name ?? '.'))
      .toSorted()
      .join('');
  const events = async (): Promise<string[]> =>
    (await fixture.client.resource('v1/events').list({ namespace })).items.map(
      ({ reason, message }) => `${reason}: ${message}`,
    );
  const annotate = (mode: string | null) =>
    fixture.client
      .resource('v1/services')
      .patch(
        { namespace, name: 's' },
        { metadata: { annotations: { 'service.kubernetes.io/topology-mode': mode } } },
        { type: 'merge' },
      );

  it('has hints as long as it has enough endpoints and the annotation', async () => {
    await makePod('p1', 'a', '10.1.0.1');
    await fixture.client.resource('v1/services').create({
      metadata: { name: 's', namespace, annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } },
      spec: { selector: { app: 's' }, ports: [{ port: 80 }], trafficDistribution: 'PreferSameZone' },
    });
    await fixture.until('one without', async () => (await zones()) === '.');
    await makePod('p2', 'a', '10.1.0.2');
    await makePod('p3', 'b', '10.1.0.3');
    await makePod('p4', 'a', '10.1.0.4');
    await fixture.until('two a zone', async () => (await zones()) === 'aabb');
    await annotate(null);
    await fixture.until('the zones of the nodes', async () => (await zones()) === 'aaab');
    await fixture.until('all events', async () => (await events()).length >= 3);
    expect(await events()).toEqual(
      expect.arrayContaining([
        'TopologyAwareHintsDisabled: Insufficient number of endpoints (1 endpoints, 2 zones), addressType: IPv4',
        'TopologyAwareHintsEnabled: Topology Aware Hints has been enabled, addressType: IPv4',
        'TopologyAwareHintsDisabled: Topology Aware Hints has been disabled, addressType: IPv4',
      ]),
    );
  });
});
