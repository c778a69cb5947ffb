import type dgram from 'node:dgram';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service, ServiceSpec } from '../api/generated/core-v1.ts';
import type { Endpoint, EndpointSlice } from '../api/generated/discovery-v1.ts';
import { type ServicePlan, planService } from '../component-helpers/index.ts';
import { silentLogger } from '../kernel/index.ts';
import { connectIn, datagramIn, listenIn, runIn, spawnIn, writeSysctl } from '../net/netns/index.ts';
import { namespacesMissing, TestNamespaces } from '../net/netns/testing/index.ts';
import { ConntrackCleaner, removedTcpEndpoints, staleConnections } from './conntrack.ts';
import { IptablesWriter } from './iptables/iptables-writer.ts';
import { NftablesWriter } from './nftables/nftables-writer.ts';
import type { RuleWriter } from './rule-writer.ts';

/**
 *     outside 192.168.50.2 ── 192.168.50.1 node ── pod-a 10.244.0.2, pod-b 10.244.0.3, client 10.244.0.4
 *                                           └───── remote 10.244.1.2 (a Pod of another node)
 */
const LINKS = [
  { name: 'outside', address: '192.168.50.2', address6: 'fd50::2', gateway: '192.168.50.1', gateway6: 'fd50::1' },
  { name: 'pod-a', address: '10.244.0.2', address6: 'fd00:244::2', gateway: '169.254.1.1', gateway6: 'fd69::1' },
  { name: 'pod-b', address: '10.244.0.3', address6: 'fd00:244::3', gateway: '169.254.1.1', gateway6: 'fd69::1' },
  { name: 'client', address: '10.244.0.4', address6: 'fd00:244::4', gateway: '169.254.1.1', gateway6: 'fd69::1' },
  { name: 'remote', address: '10.244.1.2', address6: 'fd00:244:1::2', gateway: '169.254.1.1', gateway6: 'fd69::1' },
] as const;
const NODE_IP = '192.168.50.1';
const missing = namespacesMissing('ip', 'nft', 'iptables', 'conntrack');

interface World {
  netns: Record<string, string>;
  close(): void;
}

async function buildWorld(): Promise<World> {
  const namespaces = new TestNamespaces();
  const node = namespaces.create('node');
  const netns: Record<string, string> = { node };
  const ip = (namespace: string, command: string): Promise<string> =>
    runIn('ip', command.split(' '), { netns: namespace });
  writeSysctl(node, 'net.ipv4.ip_forward', '1');
  writeSysctl(node, 'net.ipv6.conf.all.forwarding', '1');
  await ip(node, 'link set lo up');
  // Service addresses have a way out, as on a machine with a default route; who takes it is lost.
  await ip(node, 'link add void type bridge');
  await ip(node, 'link set void up');
  await ip(node, 'addr add 192.0.2.1/32 dev void');
  await ip(node, 'route add default dev void');
  await ip(node, '-6 addr add fd99::1/128 dev void nodad');
  await ip(node, '-6 route add default dev void');
  for (const link of LINKS) {
    const there = namespaces.create(link.name);
    netns[link.name] = there;
    await ip(node, `link add v-${link.name} type veth peer name eth0 netns ${there}`);
    await ip(there, 'link set lo up');
    await ip(there, 'link set eth0 up');
    await ip(node, `link set v-${link.name} up`);
    await ip(node, `addr add ${link.gateway}/32 dev v-${link.name}`);
    await ip(node, `-6 addr add ${link.gateway6}/128 dev v-${link.name} nodad`);
    await ip(node, `route add ${link.address}/32 dev v-${link.name}`);
    await ip(node, `-6 route add ${link.address6}/128 dev v-${link.name}`);
    await ip(there, `addr add ${link.address}/32 dev eth0`);
    await ip(there, `-6 addr add ${link.address6}/128 dev eth0 nodad`);
    await ip(there, `route add ${link.gateway}/32 dev eth0 scope link`);
    await ip(there, `route add default via ${link.gateway}`);
    await ip(there, `-6 route add ${link.gateway6}/128 dev eth0`);
    await ip(there, `-6 route add default via ${link.gateway6}`);
  }
  return { netns, close: () => namespaces.close() };
}

/** How long a test waits for an answer, which a busy machine may delay. */
const ANSWER_MS = 30_000;
/** How long nobody answers when packets are dropped: late enough for an answer to be seen. */
const SILENCE_MS = 700;

describe.skipIf(missing !== undefined)(`traffic to Services${missing === undefined ? '' : ` (${missing})`}`, () => {
  let world: World;
  const servers: { close(): unknown }[] = [];

  beforeAll(async () => {
    world = await buildWorld();
    // Every backend says who it is and whom it sees.
    for (const name of ['pod-a', 'pod-b', 'remote']) {
      const server = net.createServer((socket) => {
        socket.on('error', () => {});
        socket.end(`${name} ${socket.remoteAddress}`);
      });
      await listenIn(server, { netns: world.netns[name], host: '::', port: 8080 });
      const udp = await datagramIn({ netns: world.netns[name], host: '0.0.0.0', port: 8080 });
      udp.on('message', (_bytes, peer) => udp.send(name, peer.port, peer.address));
      const second = net.createServer((socket) => socket.on('error', () => {}).end(`${name}-second`));
      await listenIn(second, { netns: world.netns[name], host: '::', port: 8081 });
      servers.push(server, udp, second);
    }
  });

  afterAll(() => {
    for (const server of servers) server.close();
    world?.close();
  });

  const ask = async (from: string, host: string, port: number, limitMs = ANSWER_MS): Promise<string> => {
    const socket = connectIn({ netns: world.netns[from], host, port, signal: AbortSignal.timeout(limitMs) });
    let text = '';
    socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
    return new Promise((resolve) => {
      socket.on('close', () => resolve(text));
      socket.on('error', (error: NodeJS.ErrnoException) =>
        resolve(error.code === 'ABORT_ERR' ? 'timeout' : (error.code ?? error.name)),
      );
    });
  };
  /** Who answers, over several connections; with `peer`, whom the backend saw. */
  const whoAnswers = async (from: string, host: string, port: number, count = 24): Promise<string[]> => {
    const answers = await Promise.all(Array.from({ length: count }, () => ask(from, host, port)));
    return [...new Set(answers.map((answer) => answer.split(' ')[0]!))].sort();
  };

  const families = [
    {
      family: 'IPv4',
      clusterCidrs: ['10.244.0.0/16'],
      nodePortAddresses: [NODE_IP],
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

  describe.each([
    ['nftables', () => new NftablesWriter({ netns: world.netns['node'], families })],
    ['iptables', () => new IptablesWriter({ netns: world.netns['node'], families })],
  ] as const)('in %s mode', (mode, createWriter: () => RuleWriter) => {
    let writer: RuleWriter;
    const plans = new Map<string, readonly ServicePlan[]>();

    beforeAll(async () => {
      writer = createWriter();
      await writer.replaceAll(plans);
    });
    afterAll(async () => {
      await writer.removeAll();
      writer.close();
    });

    const local = (ip: string, more: Partial<Endpoint> = {}): Endpoint => ({
      addresses: [ip],
      nodeName: 'node',
      conditions: { ready: true },
      ...more,
    });
    const a = local('10.244.0.2');
    const b = local('10.244.0.3');
    const remote: Endpoint = { addresses: ['10.244.1.2'], nodeName: 'other', conditions: { ready: true } };
    let next = 1;

    /** A Service with an address of its own and these endpoints, told to the kernel as a change. */
    const expose = async (
      endpoints: readonly Endpoint[],
      spec: Partial<ServiceSpec> = {},
      more: { ingress?: string; addressType?: string; protocol?: string; targetPort?: number } = {},
    ) => {
      const index = next++;
      const clusterIP = more.addressType === 'IPv6' ? `fd00:96::${index.toString(16)}` : `10.96.0.${index}`;
      const protocol = more.protocol ?? 'TCP';
      const service: Service = {
        metadata: { name: `s${index}`, namespace: mode },
        spec: {
          clusterIP,
          clusterIPs: [clusterIP],
          ports: [{ port: 80, protocol, nodePort: 30_000 + index }],
          ...spec,
        },
        ...(more.ingress ? { status: { loadBalancer: { ingress: [{ ip: more.ingress }] } } } : {}),
      };
      const set = async (now: readonly Endpoint[]): Promise<void> => {
        const slice: EndpointSlice = {
          metadata: { name: `s${index}`, namespace: mode },
          addressType: more.addressType ?? 'IPv4',
          ports: [{ port: more.targetPort ?? 8080, protocol }],
          endpoints: [...now],
        };
        const before = plans.get(`s${index}`) ?? [];
        const after = planService(service, [slice], { name: 'node', zone: 'here' });
        plans.set(`s${index}`, after);
        await writer.update(new Map([[`s${index}`, after]]), plans);
        const conntrack = new ConntrackCleaner({ netns: world.netns['node'], logger: silentLogger });
        await conntrack.deleteEntries(staleConnections(before, after));
        await conntrack.deleteHalfOpen(new Set(removedTcpEndpoints(before, after)));
      };
      await set(endpoints);
      return { clusterIP, nodePort: 30_000 + index, set };
    };

    it('a cluster address is answered by every endpoint in turn, for Pods and for the node', async () => {
      const { clusterIP } = await expose([a, b, remote]);
      expect(await whoAnswers('client', clusterIP, 80)).toEqual(['pod-a', 'pod-b', 'remote']);
      expect(await whoAnswers('node', clusterIP, 80)).toEqual(['pod-a', 'pod-b', 'remote']);
    });

    it('pods keep their address, others are masqueraded', async () => {
      const { clusterIP } = await expose([a]);
      expect(await ask('client', clusterIP, 80)).toBe('pod-a ::ffff:10.244.0.4');
      expect(await ask('outside', clusterIP, 80)).not.toContain('192.168.50.2');
    });

    it('a Pod reaches itself through its Service', async () => {
      const { clusterIP } = await expose([a]);
      expect(await ask('pod-a', clusterIP, 80)).toMatch(/^pod-a /);
    });

    it('endpoints are added and removed', async () => {
      const { clusterIP, set } = await expose([a]);
      expect(await whoAnswers('client', clusterIP, 80, 6)).toEqual(['pod-a']);
      await set([b]);
      expect(await whoAnswers('client', clusterIP, 80, 6)).toEqual(['pod-b']);
      await set([a, b]);
      expect(await whoAnswers('client', clusterIP, 80)).toEqual(['pod-a', 'pod-b']);
      await set([]);
      expect(await ask('client', clusterIP, 80)).toBe('ECONNREFUSED');
    });

    it('a connection that a dead endpoint has not answered goes to a living one once the dead one is removed', async () => {
      const { clusterIP, set } = await expose([local('10.244.9.9')]);
      const waiting = ask('client', clusterIP, 80);
      expect(await ask('client', clusterIP, 80, SILENCE_MS)).toBe('timeout');
      await set([a]);
      expect(await waiting).toMatch(/^pod-a /);
    });

    it('a terminating endpoint serves until there is a better one', async () => {
      const leaving = local('10.244.0.2', { conditions: { ready: false, serving: true, terminating: true } });
      const { clusterIP, set } = await expose([leaving]);
      expect(await whoAnswers('client', clusterIP, 80, 4)).toEqual(['pod-a']);
      await set([leaving, b]);
      expect(await whoAnswers('client', clusterIP, 80, 8)).toEqual(['pod-b']);
    });

    it('without endpoints a connection is refused at once, on node ports too', async () => {
      const { clusterIP, nodePort } = await expose([], { type: 'NodePort' });
      expect(await ask('client', clusterIP, 80)).toBe('ECONNREFUSED');
      expect(await ask('outside', NODE_IP, nodePort)).toBe('ECONNREFUSED');
    });

    it('a node port answers from outside with all endpoints, masqueraded', async () => {
      const { nodePort } = await expose([a, b, remote], { type: 'NodePort' });
      expect(await whoAnswers('outside', NODE_IP, nodePort)).toEqual(['pod-a', 'pod-b', 'remote']);
      expect(await ask('outside', NODE_IP, nodePort)).not.toContain('192.168.50.2');
      expect(await whoAnswers('client', NODE_IP, nodePort, 4)).not.toContain('timeout');
    });

    it('externalTrafficPolicy Local: only endpoints here, and they see the client', async () => {
      const { nodePort } = await expose(
        [a, remote],
        { type: 'LoadBalancer', externalTrafficPolicy: 'Local' },
        { ingress: `203.0.113.${next}` },
      );
      const balancer = `203.0.113.${next - 1}`;
      expect(await whoAnswers('outside', NODE_IP, nodePort, 8)).toEqual(['pod-a']);
      expect(await ask('outside', balancer, 80)).toBe('pod-a ::ffff:192.168.50.2');
      // From inside, the way through the balancer is spared and every endpoint will do.
      expect(await whoAnswers('client', balancer, 80)).toEqual(['pod-a', 'remote']);
    });

    it('externalTrafficPolicy Local without a local endpoint: packets are dropped, so that the load balancer uses another node', async () => {
      const { nodePort } = await expose([remote], { type: 'NodePort', externalTrafficPolicy: 'Local' });
      expect(await ask('outside', NODE_IP, nodePort, SILENCE_MS)).toBe('timeout');
      expect(await whoAnswers('node', NODE_IP, nodePort, 2)).toEqual(['remote']);
    });

    it('internalTrafficPolicy Local: Pods stay on their node', async () => {
      const { clusterIP, set } = await expose([b, remote], { internalTrafficPolicy: 'Local' });
      expect(await whoAnswers('client', clusterIP, 80, 8)).toEqual(['pod-b']);
      await set([remote]);
      expect(await ask('client', clusterIP, 80, SILENCE_MS)).toBe('timeout');
    });

    it('external addresses and load balancers answer; loadBalancerSourceRanges restrict clients', async () => {
      await expose([a], { externalIPs: [`198.51.100.${next}`] });
      expect(await ask('outside', `198.51.100.${next - 1}`, 80)).toMatch(/^pod-a /);
      await expose(
        [a],
        { type: 'LoadBalancer', loadBalancerSourceRanges: ['192.168.50.0/24'] },
        { ingress: `203.0.113.${next}` },
      );
      expect(await ask('outside', `203.0.113.${next - 1}`, 80)).toMatch(/^pod-a /);
      await expose(
        [a],
        { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.9.0.0/16'] },
        { ingress: `203.0.113.${next}` },
      );
      expect(await ask('outside', `203.0.113.${next - 1}`, 80, SILENCE_MS)).toBe('timeout');
    });

    it('session affinity keeps a client with its endpoint', async () => {
      const { clusterIP, nodePort } = await expose([a, b, remote], {
        type: 'NodePort',
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
      });
      const first = await ask('client', clusterIP, 80);
      expect(await whoAnswers('client', clusterIP, 80, 12)).toEqual([first.split(' ')[0]]);
      expect(await whoAnswers('outside', NODE_IP, nodePort, 1)).toHaveLength(1);
    });

    it('session affinity outlives a restart, for external traffic too', async () => {
      const { clusterIP, nodePort } = await expose([a, b], {
        type: 'NodePort',
        sessionAffinity: 'ClientIP',
        externalTrafficPolicy: 'Local',
      });
      const [inside, outside] = [await ask('client', clusterIP, 80), await ask('outside', NODE_IP, nodePort)];
      for (let restart = 0; restart < 4; restart++) {
        writer.close();
        writer = createWriter();
        await writer.replaceAll(plans);
        expect([await ask('client', clusterIP, 80), await ask('outside', NODE_IP, nodePort)]).toEqual([
          inside,
          outside,
        ]);
      }
      expect(outside).toMatch(/^pod-[ab] (?:::ffff:)?192\.168\.50\.2$/);
    });

    if (mode === 'nftables')
      it('unallocated addresses of the ServiceCIDRs are not forwarded', async () => {
        // The node asks for the neighbour at the way out before it sends a packet there.
        const leaves = async (address: string): Promise<boolean> => {
          await ask('client', address, 80);
          return (await runIn('ip', ['neigh', 'show', 'dev', 'void'], { netns: world.netns['node'] })).includes(
            address,
          );
        };
        expect(await leaves('10.96.250.1')).toBe(true);
        writer.setServiceCidrs?.(['10.96.0.0/16', 'fd00:96::/112']);
        await writer.replaceAll(plans);
        expect(await leaves('10.96.250.2')).toBe(false);
        const { clusterIP } = await expose([a]);
        expect(await whoAnswers('client', clusterIP, 80, 4)).toEqual(['pod-a']);
      });

    if (mode === 'nftables')
      it('node ports of an address range answer on addresses of the node only', async () => {
        const ranged = new NftablesWriter({
          netns: world.netns['node'],
          families: [{ ...families[0], nodePortAddresses: ['192.168.50.0/24', '10.244.0.0/16'] }],
        });
        const { nodePort } = await expose([a], { type: 'NodePort' });
        await ranged.replaceAll(plans);
        expect(await whoAnswers('outside', NODE_IP, nodePort, 4)).toEqual(['pod-a']);
        expect(await ask('outside', '10.244.0.3', nodePort)).toBe('ECONNREFUSED');
        ranged.close();
        await writer.replaceAll(plans);
      });

    it('hints keep traffic in the zone', async () => {
      const { clusterIP } = await expose([
        { ...a, hints: { forZones: [{ name: 'here' }] } },
        { ...remote, hints: { forZones: [{ name: 'there' }] } },
      ]);
      expect(await whoAnswers('client', clusterIP, 80, 8)).toEqual(['pod-a']);
    });

    it('UDP: open sockets stop using a removed endpoint', async () => {
      const { clusterIP, set } = await expose([a], {}, { protocol: 'UDP' });
      const socket = await datagramIn({ netns: world.netns['client'], host: '10.244.0.4', port: 0 });
      servers.push(socket);
      expect(await udpAnswer(socket, clusterIP)).toBe('pod-a');
      await set([b]);
      expect(await udpAnswer(socket, clusterIP)).toBe('pod-b');
    });

    it('ports of a Service find theirs by name, also where Pods have different numbers for it; protocols share a number', async () => {
      const clusterIP = '10.96.1.1';
      const service: Service = {
        metadata: { name: 'named', namespace: mode },
        spec: {
          clusterIP,
          clusterIPs: [clusterIP],
          ports: [
            { name: 'first', port: 80, protocol: 'TCP' },
            { name: 'second', port: 81, protocol: 'TCP' },
            { name: 'datagrams', port: 80, protocol: 'UDP' },
          ],
        },
      };
      const slice = (name: string, endpoint: Endpoint, ports: EndpointSlice['ports']): EndpointSlice => ({
        metadata: { name, namespace: mode },
        addressType: 'IPv4',
        ports,
        endpoints: [endpoint],
      });
      const after = planService(
        service,
        [
          slice('named-1', a, [
            { name: 'first', port: 8080, protocol: 'TCP' },
            { name: 'second', port: 8081, protocol: 'TCP' },
            { name: 'datagrams', port: 8080, protocol: 'UDP' },
          ]),
          slice('named-2', b, [{ name: 'first', port: 8081, protocol: 'TCP' }]),
        ],
        { name: 'node' },
      );
      plans.set('named', after);
      await writer.update(new Map([['named', after]]), plans);
      expect(await whoAnswers('client', clusterIP, 80)).toEqual(['pod-a', 'pod-b-second']);
      expect(await whoAnswers('client', clusterIP, 81, 6)).toEqual(['pod-a-second']);
      const socket = await datagramIn({ netns: world.netns['client'], host: '10.244.0.4', port: 0 });
      servers.push(socket);
      expect(await udpAnswer(socket, clusterIP)).toBe('pod-a');
    });

    for (const [protocol, number] of [
      ['TCP', 6],
      ['SCTP', 132],
    ] as const) {
      const lacking =
        namespacesMissing('python3') ??
        (protocol === 'SCTP' && !existsSync('/proc/net/sctp') ? 'the kernel has no SCTP' : undefined);
      it.skipIf(lacking !== undefined)(
        `${protocol} connections of other programs${lacking === undefined ? '' : ` (${lacking})`}`,
        async () => {
          const { clusterIP, nodePort } = await expose([a], { type: 'NodePort' }, { protocol, targetPort: 8090 });
          const open = `import socket; s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, ${number}); s.settimeout(60); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)`;
          const serving = spawnIn(
            'python3',
            [
              '-c',
              `${open}; s.bind(("10.244.0.2", 8090)); s.listen(8)\nfor i in range(2):\n  c, peer = s.accept(); c.send(b"pod-a"); c.close()`,
            ],
            { netns: world.netns['pod-a'] },
          );
          const asking = (host: string, port: number): string =>
            `${open}\nimport time\nfor i in range(500):\n  try:\n    s.connect(("${host}", ${port})); break\n  except OSError: time.sleep(0.1); s.close(); s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, ${number})\nprint(s.recv(100).decode())`;
          expect((await runIn('python3', ['-c', asking(clusterIP, 80)], { netns: world.netns['client'] })).trim()).toBe(
            'pod-a',
          );
          expect(
            (await runIn('python3', ['-c', asking(NODE_IP, nodePort)], { netns: world.netns['outside'] })).trim(),
          ).toBe('pod-a');
          expect(await serving).toMatchObject({ exitCode: 0 });
        },
      );
    }

    it('the kernel accepts rules for SCTP, whether or not it supports it', async () => {
      const { clusterIP, set } = await expose([a, b], { type: 'NodePort' }, { protocol: 'SCTP' });
      const rules = async (): Promise<string> =>
        mode === 'nftables'
          ? runIn('nft', ['list', 'table', 'ip', 'kube-proxy'], { netns: world.netns['node'] })
          : runIn('iptables-save', ['-t', 'nat'], { netns: world.netns['node'] });
      expect(await rules()).toMatch(
        mode === 'nftables'
          ? new RegExp(`${clusterIP.replaceAll('.', '\\.')} \\. sctp \\. 80 : goto lb-sctp-2`)
          : /-p sctp .*-j DNAT --to-destination 10\.244\.0\.2:8080/,
      );
      await set([a]);
      expect(await rules()).not.toMatch(
        mode === 'nftables'
          ? new RegExp(`${clusterIP.replaceAll('.', '\\.')} \\. sctp \\. 80 : goto lb-sctp-2`)
          : /-p sctp .*-j DNAT --to-destination 10\.244\.0\.3:8080/,
      );
    });

    it('IPv6 works the same', async () => {
      const { clusterIP, nodePort } = await expose(
        [local('fd00:244::2'), local('fd00:244::3')],
        { type: 'NodePort' },
        { addressType: 'IPv6' },
      );
      expect(await whoAnswers('client', clusterIP, 80)).toEqual(['pod-a', 'pod-b']);
      expect(await whoAnswers('outside', 'fd50::1', nodePort, 8)).not.toContain('timeout');
    });

    it('a restart does not interrupt clients, and repairs stale rules', async () => {
      const { clusterIP } = await expose([a]);
      writer.close();
      writer = createWriter();
      await writer.replaceAll(plans);
      expect(await whoAnswers('client', clusterIP, 80, 4)).toEqual(['pod-a']);
      plans.clear();
      writer.close();
      writer = createWriter();
      await writer.replaceAll(plans);
      expect(await ask('client', clusterIP, 80, SILENCE_MS)).not.toMatch(/^pod/);
    });

    it('cleanup removes all rules, and no rules of others', async () => {
      const foreign = 'table ip foreign {\n\tchain c {\n\t}\n}\n';
      await runIn('nft', ['-f', '-'], { netns: world.netns['node'], input: foreign });
      await expose([a, b], { type: 'NodePort', sessionAffinity: 'ClientIP' });
      await writer.removeAll();
      const left = await runIn('nft', ['list', 'ruleset'], { netns: world.netns['node'] });
      expect(left).toContain(foreign.trim());
      expect(left).not.toMatch(/KUBE-|kube-proxy/);
    });
  });
});

async function udpAnswer(socket: dgram.Socket, host: string): Promise<string> {
  for (let attempt = 0; attempt < 5; attempt++) {
    socket.send('hello', 80, host);
    const answer = await Promise.race([
      once(socket, 'message').then(([bytes]) => (bytes as Buffer).toString()),
      new Promise<undefined>((resolve) => AbortSignal.timeout(300).addEventListener('abort', () => resolve(undefined))),
    ]);
    if (answer) return answer;
  }
  return 'timeout';
}
