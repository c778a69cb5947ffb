import net from 'node:net';
import type { Service } from '../src/api/generated/core-v1.ts';
import type { EndpointSlice } from '../src/api/generated/discovery-v1.ts';
import { planService, type ServicePlan } from '../src/component-helpers/index.ts';
import { NftablesWriter } from '../src/kube-proxy/nftables/nftables-writer.ts';
import { connectIn, listenIn, runIn } from '../src/net/netns/index.ts';
import { namespacesMissing, TestNamespaces } from '../src/net/netns/testing/index.ts';
import type { BenchOptions, Row } from './harness.ts';

export const name = 'kube-proxy';

const SERVICES = 10_000;
const ENDPOINTS = 5;
/** Of which one is the node that the rules are for. */
const NODES = 100;

/** nftables mode in a namespace of its own. */
export async function run(_options: BenchOptions): Promise<Row[]> {
  if (namespacesMissing('ip', 'nft') !== undefined) return [];
  const namespaces = new TestNamespaces();
  const netns = namespaces.create('node');
  try {
    for (const command of ['link set lo up', 'addr add 10.244.0.1/32 dev lo', 'route add 10.96.0.0/12 dev lo'])
      await runIn('ip', command.split(' '), { netns });
    const writer = new NftablesWriter({
      netns,
      families: [
        {
          family: 'IPv4',
          clusterCidrs: ['10.244.0.0/16'],
          nodePortAddresses: [],
          masqueradeAll: false,
          masqueradeBit: 14,
        },
      ],
    });
    const echo = net.createServer((socket) => socket.on('error', () => {}).end('x'));
    await listenIn(echo, { netns, host: '10.244.0.1', port: 8080 });
    await writer.replaceAll(new Map([['default/one', plan(SERVICES + 1, ['10.244.0.1'])]]));
    const alone = await connectTime(netns, addressOf(SERVICES + 1));

    let full = Infinity;
    for (let round = 0; round < 3; round++) {
      const start = performance.now();
      const plans = new Map<string, readonly ServicePlan[]>([['default/one', plan(SERVICES + 1, ['10.244.0.1'])]]);
      for (let i = 0; i < SERVICES; i++) plans.set(`default/s${i}`, plan(i, endpointsOf(i)));
      await writer.replaceAll(plans);
      full = Math.min(full, performance.now() - start);
    }

    const changes: number[] = [];
    for (let i = 0; i < 21; i++) {
      const before = performance.now();
      await writer.update(new Map([[`default/s${i}`, plan(i, [...endpointsOf(i).slice(1), '10.250.0.1'])]]));
      changes.push(performance.now() - before);
    }
    const among = await connectTime(netns, addressOf(SERVICES + 1));
    echo.close();
    writer.close();
    return [
      {
        work: `full sync of ${SERVICES} Services, ${SERVICES * ENDPOINTS} endpoints`,
        value: full,
        unit: 'ms',
        atMost: 2000,
      },
      { work: 'one endpoint changes, median', value: changes.toSorted((a, b) => a - b)[10]!, unit: 'ms', atMost: 20 },
      { work: 'connect to a Service, one in all', value: alone, unit: 'µs' },
      { work: `connect to a Service among ${SERVICES}`, value: among, unit: 'µs', atMost: alone * 1.5 },
    ];
  } finally {
    namespaces.close();
  }
}

const addressOf = (index: number): string => `10.${96 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
const endpointsOf = (index: number): string[] =>
  Array.from(
    { length: ENDPOINTS },
    (_, j) => `10.244.${((index * ENDPOINTS + j) >> 8) & 255}.${(index * ENDPOINTS + j) & 255}`,
  );

function plan(index: number, endpoints: readonly string[]): ServicePlan[] {
  const clusterIP = addressOf(index);
  const service: Service = {
    metadata: { name: `s${index}`, namespace: 'default' },
    spec: { clusterIP, clusterIPs: [clusterIP], ports: [{ port: 80, protocol: 'TCP' }] },
  };
  const slice: EndpointSlice = {
    metadata: { name: `s${index}`, namespace: 'default' },
    addressType: 'IPv4',
    ports: [{ port: 8080, protocol: 'TCP' }],
    endpoints: endpoints.map((ip, j) => ({ addresses: [ip], nodeName: `node-${(index + j) % NODES}` })),
  };
  return planService(service, [slice], { name: 'node-0' });
}

/** Microseconds from connect to connected, the median of many. */
async function connectTime(netns: string, host: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 400; i++) {
    const start = performance.now();
    const socket = connectIn({ netns, host, port: 80 });
    await new Promise<void>((resolve, reject) => socket.once('connect', () => resolve()).on('error', reject));
    times.push((performance.now() - start) * 1000);
    socket.destroy();
  }
  return times.toSorted((a, b) => a - b)[200]!;
}
