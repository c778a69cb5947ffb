import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { type ServicePlan, planService } from '../../component-helpers/index.ts';
import { SeededRandom } from '../../kernel/index.ts';
import { runIn } from '../../net/netns/index.ts';
import { namespacesMissing, TestNamespaces } from '../../net/netns/testing/index.ts';
import { NftablesWriter } from './nftables-writer.ts';

const missing = namespacesMissing('nft');
const families = [
  {
    family: 'IPv4',
    clusterCidrs: ['10.244.0.0/16'],
    nodePortAddresses: ['192.168.50.1'],
    masqueradeAll: false,
    masqueradeBit: 14,
  },
  {
    family: 'IPv6',
    clusterCidrs: ['fd00:244::/32'],
    nodePortAddresses: ['fd50::1'],
    masqueradeAll: false,
    masqueradeBit: 14,
  },
] as const;

describe.skipIf(missing !== undefined)(`changes in the kernel${missing === undefined ? '' : ` (${missing})`}`, () => {
  let namespaces: TestNamespaces;
  beforeAll(() => {
    namespaces = new TestNamespaces();
  });
  afterAll(() => namespaces.close());

  it.each([1, 2, 3])('one by one they end where everything at once does (seed %i)', async (seed) => {
    const random = new SeededRandom(seed);
    const [changed, whole] = [namespaces.create(`changed-${seed}`), namespaces.create(`whole-${seed}`)];
    const plans = new Map<string, readonly ServicePlan[]>();
    const writer = new NftablesWriter({ netns: changed, families });
    await writer.replaceAll(plans);
    for (let step = 0; step < 120; step++) {
      const index = Math.floor(random.next() * 12);
      const plan = random.next() < 0.2 ? [] : randomPlan(index, random);
      if (plan.length === 0) plans.delete(`default/s${index}`);
      else plans.set(`default/s${index}`, plan);
      await writer.update(new Map([[`default/s${index}`, plan]]));
    }
    writer.close();
    await new NftablesWriter({ netns: whole, families }).replaceAll(plans);
    const [one, other] = [await listed(changed), await listed(whole)];
    expect(one).toEqual(other);
    expect(one.some((line) => line.startsWith('ip endpoints-tcp '))).toBe(true);
    expect(one.some((line) => line.startsWith('ip6 endpoints-udp '))).toBe(true);
  });

  it('a refused change leaves the rules unchanged', async () => {
    const netns = namespaces.create('refused');
    const writer = new NftablesWriter({ netns, families });
    const random = new SeededRandom(4);
    const one = randomPlan(1, random);
    await writer.replaceAll(new Map([['default/s1', one]]));
    await runIn('nft', ['flush', 'map', 'ip', 'kube-proxy', 'service-ips'], { netns });
    const before = await listed(netns);
    await expect(
      writer.update(
        new Map([
          ['default/s1', []],
          ['default/s2', randomPlan(2, random)],
        ]),
      ),
    ).rejects.toThrow('cannot change the set');
    expect(await listed(netns)).toEqual(before);
    writer.close();
  });
});

/** Without session affinity and source ranges, so that elements are all that changes. */
function randomPlan(index: number, random: SeededRandom): ServicePlan[] {
  const below = (most: number): number => Math.floor(random.next() * most);
  const [clusterIP, clusterIp6] = [`10.96.0.${index + 1}`, `fd00:96::${index + 1}`];
  const local = random.next() < 0.3;
  const service: Service = {
    metadata: { name: `s${index}`, namespace: 'default' },
    spec: {
      type: 'LoadBalancer',
      clusterIP,
      clusterIPs: [clusterIP, clusterIp6],
      externalIPs: random.next() < 0.3 ? [`198.51.100.${index + 1}`, `fd51::${index + 1}`] : [],
      ports: ['TCP', 'UDP'].map((protocol) => ({
        name: protocol.toLowerCase(),
        port: 80 + below(2),
        protocol,
        nodePort: 30_000 + index,
      })),
      ...(local ? { externalTrafficPolicy: 'Local' as const } : {}),
      ...(random.next() < 0.3 ? { internalTrafficPolicy: 'Local' as const } : {}),
    },
    status: { loadBalancer: { ingress: [{ ip: `203.0.113.${index + 1}` }] } },
  };
  const slice = (addressType: string, addresses: readonly string[]): EndpointSlice => ({
    metadata: { name: `s${index}-${addressType}`, namespace: 'default' },
    addressType,
    ports: ['TCP', 'UDP'].map((protocol) => ({ name: protocol.toLowerCase(), port: 8080, protocol })),
    endpoints: addresses.map((address) => ({
      addresses: [address],
      nodeName: random.next() < 0.5 ? 'node' : 'other',
      conditions: { ready: true },
    })),
  });
  const numbers = Array.from({ length: below(5) }, () => below(20) + 1);
  return planService(
    service,
    [
      slice(
        'IPv4',
        numbers.map((each) => `10.244.0.${each}`),
      ),
      slice(
        'IPv6',
        numbers.map((each) => `fd00:244::${each}`),
      ),
    ],
    { name: 'node' },
  );
}

/** What the kernel has, a line per element, rule, set and chain, in an order that depends on nothing. */
async function listed(netns: string): Promise<string[]> {
  const lines: string[] = [];
  for (const family of ['ip', 'ip6']) {
    const text = await runIn('nft', ['-j', 'list', 'table', family, 'kube-proxy'], { netns });
    const { nftables } = JSON.parse(text) as {
      nftables: Record<string, { name?: string; chain?: string; elem?: unknown[]; expr?: unknown; handle?: number }>[];
    };
    for (const entry of nftables) {
      const [[kind, item] = ['', {}]] = Object.entries(entry);
      if (kind === 'rule') lines.push(`${family} rule ${item.chain} ${JSON.stringify(item.expr)}`);
      else
        lines.push(
          `${family} ${kind} ${item.name}`,
          ...(item.elem ?? []).map((element) => `${family} ${item.name} ${JSON.stringify(element)}`),
        );
    }
  }
  return lines.toSorted();
}
