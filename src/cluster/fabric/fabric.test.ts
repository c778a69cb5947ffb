import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { BridgeNetwork } from '../../container-runtime/network/index.ts';
import { createTestContext } from '../../kernel/index.ts';
import { until } from '../../kernel/testing/index.ts';
import {
  addAddress,
  addRoute,
  addVeth,
  connectIn,
  deleteNetns,
  findLink,
  isNetns,
  listenIn,
  NetlinkSocket,
  openNetns,
  readSysctl,
  runIn,
  setLink,
} from '../../net/netns/index.ts';
import { namespacesMissing, TestNamespaces } from '../../net/netns/testing/index.ts';
import { createFabric, forwardTo, listFabrics, type Fabric, type FabricNode, type FabricOptions } from './index.ts';

const missing = namespacesMissing('nft', 'ip', 'sysctl');

/** How long a test waits for an answer, which a busy machine may delay. */
const ANSWER_MS = 30_000;
/** How long nobody answers when packets are dropped: late enough for an answer to be seen. */
const SILENCE_MS = 500;
/** When the kernel sends a connection's first packet again. */
const RETRANSMISSION_MS = 1000;

describe.skipIf(missing !== undefined)(`the fabric${missing === undefined ? '' : ` (${missing})`}`, () => {
  const ctx = createTestContext();
  let namespaces: TestNamespaces;
  let host: string;
  const fabrics = new Set<Fabric>();
  const closers: (() => Promise<void> | void)[] = [];

  beforeEach(async () => {
    namespaces = new TestNamespaces();
    host = namespaces.create('host');
    await runIn('ip', ['link', 'set', 'lo', 'up'], { netns: host });
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
    for (const fabric of fabrics) await fabric.destroy();
    fabrics.clear();
    namespaces.close();
  });

  const state = (): string => path.join(namespaces.directory, 'state');
  const create = async (options: Partial<FabricOptions> = {}): Promise<Fabric> => {
    const fabric = await createFabric(ctx, { name: 'test', stateDirectory: state(), hostNetns: host, ...options });
    fabrics.add(fabric);
    return fabric;
  };
  /** A pod on a node, with the built-in bridge; its namespace and addresses. */
  const pod = async (node: FabricNode, name: string): Promise<{ netns: string; ips: readonly string[] }> => {
    const network = await BridgeNetwork.open(ctx, {
      nodeNetns: node.netnsPath,
      stateDirectory: path.join(namespaces.directory, `pods-${node.name}`),
    });
    closers.push(() => network.close());
    await network.configure({ podCidrs: node.podCidrs });
    const netns = namespaces.create(name);
    const { ips } = await network.attach({ id: name, name, namespace: 'default', uid: name, netnsPath: netns });
    return { netns, ips };
  };
  const serve = async (netns: string, port = 80): Promise<void> => {
    const server = net.createServer((socket) => socket.end(socket.remoteAddress?.replace('::ffff:', '') ?? ''));
    closers.push(() => void server.close());
    await listenIn(server, { netns, host: '::', port });
  };
  const ask = async (netns: string, address: string, port = 80, limitMs = ANSWER_MS): Promise<string> => {
    const socket = connectIn({ netns, host: address, port });
    socket.setTimeout(limitMs, () => socket.destroy(new Error(`no answer of ${address}`)));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(socket, 'close');
    if (socket.errored) throw socket.errored;
    return Buffer.concat(chunks).toString();
  };
  const routes = async (netns: string): Promise<string> => runIn('ip', ['route'], { netns });
  /** Everything of the host that a fabric may leave something in. */
  const snapshot = async (): Promise<string> =>
    (
      await Promise.all(
        [['-br', 'link'], ['-br', 'addr'], ['route'], ['-6', 'route']].map((parameters) =>
          runIn('ip', parameters, { netns: host }),
        ),
      )
    ).join('') +
    (await runIn('nft', ['list', 'ruleset'], { netns: host })) +
    readSysctl(host, 'net.ipv4.ip_forward');

  test('pods on all nodes, nodes and the host reach each other without translation, in both families', async () => {
    const fabric = await create({ families: ['IPv4', 'IPv6'] });
    const [v4, v6] = fabric.ranges.pods as [string, string];
    expect([v4, ...fabric.hostAddresses]).toEqual(['10.244.0.0/16', '10.64.0.1', expect.stringMatching(/^fd.*::1$/)]);
    const pods: { node: FabricNode; netns: string; ips: readonly string[] }[] = [];
    for (const index of [0, 1, 2]) {
      const node = await fabric.addNode(`node${index}`, {
        podCidrs: [v4.replace('0.0/16', `${index}.0/24`), v6.replace('100::/56', `10${index}::/64`)],
      });
      pods.push({ node, ...(await pod(node, `pod${index}`)) });
      await serve(pods[index]!.netns);
      await serve(node.netnsPath, 81);
    }
    for (const to of pods) {
      for (const [family, address] of to.ips.entries()) {
        for (const from of pods) expect(await ask(from.netns, address)).toBe(from.ips[family]);
        const otherNode = pods.find(({ node }) => node !== to.node)!.node;
        expect(await ask(otherNode.netnsPath, address)).toBe(otherNode.addresses[family]);
        expect(await ask(host, address)).toBe(fabric.hostAddresses[family]);
        expect(await ask(host, to.node.addresses[family]!, 81)).toBe(fabric.hostAddresses[family]);
        expect(await ask(pods[0]!.netns, to.node.addresses[family]!, 81)).toBe(pods[0]!.ips[family]);
      }
    }
    expect((await fabric.listPodRoutes()).map(({ node, podCidr }) => `${node} ${podCidr}`)).toEqual(
      expect.arrayContaining([
        'node0 10.244.0.0/24',
        'node2 10.244.2.0/24',
        `node1 ${v6.replace('100::/56', '101::/64')}`,
      ]),
    );
  });

  test('nodes and pods reach the API server on loopback at the host’s address, and others do not', async () => {
    const fabric = await create();
    const node = await fabric.addNode('node', { podCidrs: ['10.244.7.0/24'] });
    const { netns } = await pod(node, 'pod');
    const seen: string[] = [];
    await fabric.serveOnHost(6443, (socket) => {
      seen.push(socket.remoteAddress ?? '');
      socket.end('api');
    });
    expect([
      await ask(netns, '10.64.0.1', 6443),
      await ask(node.netnsPath, '10.64.0.1', 6443),
      await ask(host, '10.64.0.1', 6443),
    ]).toEqual(['api', 'api', 'api']);
    expect(seen).toEqual(['10.244.7.2', '10.64.0.2', '10.64.0.1']);
    const outside = await uplink();
    await expect(ask(outside, '10.64.0.1', 6443, SILENCE_MS)).rejects.toThrow('no answer');
    await serve(netns);
    await runIn('sysctl', ['-qw', 'net.ipv4.ip_forward=1'], { netns: host });
    await expect(ask(outside, '10.244.7.2', 80, SILENCE_MS)).rejects.toThrow('no answer');
  });

  test('an API server that is bound to all addresses of a family needs no listener of its own for them', async () => {
    const fabric = await create({ families: ['IPv4', 'IPv6'] });
    const everywhere = net.createServer((socket) => socket.end('bound'));
    await listenIn(everywhere, { netns: host, host: '0.0.0.0', port: 6443 });
    onTestFinished(() => void everywhere.close());
    await expect(fabric.serveOnHost(6443, () => {})).rejects.toMatchObject({ code: 'EADDRINUSE', port: 6443 });
    const { addresses } = await fabric.serveOnHost(6443, (socket) => socket.end('own'), '0.0.0.0');
    expect(addresses).toEqual([fabric.hostAddresses[1]]);
    expect(await Promise.all(fabric.hostAddresses.map((address) => ask(host, address, 6443)))).toEqual([
      'bound',
      'own',
    ]);
  });

  test('IPv6 alone', async () => {
    const fabric = await create({ families: ['IPv6'] });
    const pods: { netns: string; ips: readonly string[] }[] = [];
    for (const index of [0, 1]) {
      const node = await fabric.addNode(`node${index}`, {
        podCidrs: [fabric.ranges.pods[0]!.replace('100::/56', `10${index}::/64`)],
      });
      pods.push(await pod(node, `pod${index}`));
    }
    await serve(pods[1]!.netns);
    const [address] = pods[1]!.ips as [string];
    expect([await ask(pods[0]!.netns, address), await ask(host, address)]).toEqual([
      pods[0]!.ips[0],
      fabric.hostAddresses[0],
    ]);
    await expect(ask(pods[0]!.netns, '2001:db8::1')).rejects.toThrow(/EHOSTUNREACH|ECONNREFUSED|EACCES/);
  });

  test('connections can be forwarded to a server of another process', async () => {
    const fabric = await create();
    const node = await fabric.addNode('node');
    const server = net.createServer((socket) => socket.pipe(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => void server.close());
    await fabric.serveOnHost(6443, forwardTo({ host: '127.0.0.1', port: (server.address() as net.AddressInfo).port }));
    const socket = connectIn({ netns: node.netnsPath, host: '10.64.0.1', port: 6443 });
    socket.end('echo');
    expect(String((await once(socket, 'data'))[0])).toBe('echo');
    await once(socket, 'close');
  });

  /** A machine on the host's uplink, 10.7.0.9, which sends the fabric's ranges to the host; the host is 10.7.0.1. */
  async function uplink(): Promise<string> {
    const outside = namespaces.create('outside');
    const [here, there] = [new NetlinkSocket(host), new NetlinkSocket(outside)];
    const target = openNetns(outside);
    await here.send([addVeth({ name: 'uplink', up: true }, { name: 'eth0', netnsFd: target })]);
    fs.closeSync(target);
    await here.send([addAddress((await findLink(here, 'uplink'))!.index, '10.7.0.1/24')]);
    await there.send([
      setLink({ name: 'lo', up: true }),
      setLink({ name: 'eth0', up: true }),
      addAddress((await findLink(there, 'eth0'))!.index, '10.7.0.9/24'),
    ]);
    await there.send([addRoute({ destination: '10.0.0.0/8', gateway: '10.7.0.1' })]);
    here.close();
    there.close();
    // The kernel reports the carrier, and assigns the link-local address, a moment later.
    for (const [netns, link] of [
      [host, 'uplink'],
      [outside, 'eth0'],
    ] as const)
      await until(`${link} is up`, async () =>
        new RegExp(`^${link}\\S* +UP .*fe80:`, 'm').test(await runIn('ip', ['-br', 'addr'], { netns })),
      );
    return outside;
  }

  test('without egress foreign addresses are refused at once; with it they are masqueraded, and the host is restored at the end', async () => {
    const outside = await uplink();
    await serve(outside);
    const before = await snapshot();
    const closed = await create();
    const node = await closed.addNode('node', { podCidrs: ['10.244.0.0/24'] });
    const inside = await pod(node, 'pod');
    for (const from of [inside.netns, node.netnsPath]) {
      let fastestMs = Infinity;
      for (let attempt = 0; attempt < 5 && fastestMs >= RETRANSMISSION_MS; attempt++) {
        const start = performance.now();
        await expect(ask(from, '10.7.0.9')).rejects.toThrow(/EHOSTUNREACH|ECONNREFUSED|EACCES/);
        await expect(ask(from, '10.96.0.99'), 'a service without rules').rejects.toThrow(
          /EHOSTUNREACH|ECONNREFUSED|EACCES/,
        );
        fastestMs = Math.min(fastestMs, performance.now() - start);
      }
      expect(fastestMs, 'nobody waited for a retransmission').toBeLessThan(RETRANSMISSION_MS);
    }
    const open = await create({ name: 'open', egress: true });
    const other = await open.addNode('node', { podCidrs: ['10.243.0.0/24'] });
    const { netns } = await pod({ ...other, name: 'other' }, 'open-pod');
    expect(await ask(netns, '10.7.0.9')).toBe('10.7.0.1');
    expect(await ask(other.netnsPath, '10.7.0.9')).toBe('10.7.0.1');
    await expect(ask(netns, inside.ips[0]!, 80, SILENCE_MS), 'the other cluster').rejects.toThrow();
    await expect(ask(inside.netns, '10.7.0.9')).rejects.toThrow(/EHOSTUNREACH|ECONNREFUSED|EACCES/);
    for (const fabric of fabrics) await fabric.destroy();
    fabrics.clear();
    expect(await snapshot()).toBe(before);
    expect(fs.readdirSync(path.join(state(), 'fabric'))).toEqual([]);
  });

  test('no packet for pods or Services leaves the machine: blackhole routes below the routes of the nodes', async () => {
    const fabric = await create();
    const [a] = [
      await fabric.addNode('a', { podCidrs: ['10.244.0.0/24'] }),
      await fabric.addNode('b', { podCidrs: ['10.244.1.0/24'] }),
    ];
    const blackholes = (text: string): string[] =>
      text
        .split('\n')
        .filter((line) => line.startsWith('blackhole'))
        .map((line) => line.split(' ')[1]!);
    expect(blackholes(await routes(host))).toEqual(['10.96.0.0/16', '10.244.0.0/16']);
    expect(blackholes(await routes(a.netnsPath))).toEqual(['10.244.0.0/16']);
    expect(await routes(host)).toContain('10.244.1.0/24 via 10.64.0.3 dev k8f');
    expect(await routes(a.netnsPath)).toContain('10.244.1.0/24 via 10.64.0.3 dev eth0');
    await fabric.setPodCidrs('b', ['10.244.9.0/24']);
    expect(await routes(a.netnsPath)).toMatch(/^(?!.*10\.244\.1\.0).*10\.244\.9\.0\/24 via 10\.64\.0\.3/s);
    await fabric.removeNode('b');
    await fabric.removeNode('b');
    expect(await routes(a.netnsPath)).not.toContain('10.64.0.3');
    expect(await fabric.listPodRoutes()).toEqual([{ node: 'a', podCidr: '10.244.0.0/24' }]);
    expect((await fabric.addNode('c')).addresses, 'the address is free again').toEqual(['10.64.0.3']);
  });

  test('load balancer addresses lead to the given nodes, are rejected without any, and are removed with the fabric', async () => {
    const before = await snapshot();
    const fabric = await create({ families: ['IPv4', 'IPv6'] });
    const nodes = [await fabric.addNode('a'), await fabric.addNode('b')];
    const addresses = fabric.loadBalancerRanges.map((range) =>
      range.replace(/(\.0|::)\/\d+$/, (end) => (end.startsWith('.') ? '.7' : '::7')),
    );
    for (const node of nodes) {
      const server = net.createServer((socket) => socket.end(node.name));
      closers.push(() => void server.close());
      for (const address of addresses)
        await runIn('ip', ['addr', 'add', `${address}/${address.includes(':') ? 128 : 32}`, 'dev', 'lo'], {
          netns: node.netnsPath,
        });
      await listenIn(server, { netns: node.netnsPath, host: '::', port: 80 });
    }
    for (const [family, address] of addresses.entries()) {
      const of = (index: number): string => nodes[index]!.addresses[family]!;
      await fabric.routeHostAddress(address, [of(0), of(1)]);
      expect(['a', 'b']).toContain(await ask(host, address));
      await fabric.routeHostAddress(address, [of(1)]);
      expect(await ask(host, address)).toBe('b');
      await fabric.routeHostAddress(address, [of(0)]);
      expect(await ask(host, address)).toBe('a');
      await fabric.routeHostAddress(address, []);
      await expect(ask(host, address)).rejects.toThrow(/EHOSTUNREACH/);
      await fabric.routeHostAddress(address, [of(0), of(1)]);
      expect(['a', 'b']).toContain(await ask(host, address));
      await fabric.unrouteHostAddress(address);
      expect(await runIn('ip', [family === 0 ? '-4' : '-6', 'route'], { netns: host })).not.toContain(address);
      await fabric.routeHostAddress(address, []);
    }
    await expect(fabric.routeHostAddress('192.0.2.1', [])).rejects.toThrow('is not in');
    await fabric.destroy();
    fabrics.delete(fabric);
    expect(await snapshot()).toBe(before);
  });

  test('a node with an unplugged cable is unreachable until it is added again', async () => {
    const fabric = await create({ families: ['IPv4', 'IPv6'] });
    const [a, b] = [
      await fabric.addNode('a', { podCidrs: ['10.244.0.0/24'] }),
      await fabric.addNode('b', { podCidrs: ['10.244.1.0/24'] }),
    ];
    const { ips } = await pod(a, 'pod');
    await serve(a.netnsPath);
    await serve(path.join(namespaces.directory, 'pod'));
    const everything = [...a.addresses, ...ips];
    for (const address of everything) expect(await ask(b.netnsPath, address)).not.toBe('');
    await fabric.unplugNode('a');
    for (const address of everything) await expect(ask(b.netnsPath, address, 80, SILENCE_MS)).rejects.toThrow();
    expect(await ask(a.netnsPath, ips[0]!)).not.toBe('');
    await fabric.addNode('a');
    for (const address of everything) expect(await ask(b.netnsPath, address)).not.toBe('');
    await expect(fabric.unplugNode('c')).rejects.toThrow('no node c');
  });

  test('addresses of load balancers on the host', async () => {
    const fabric = await create();
    const node = await fabric.addNode('node', { podCidrs: ['10.244.0.0/24'] });
    const { netns } = await pod(node, 'pod');
    expect(fabric.loadBalancerRanges).toEqual(['10.64.240.0/20']);
    await fabric.addHostAddress('10.64.240.1');
    await serve(host, 8080);
    expect(await ask(netns, '10.64.240.1', 8080)).toBe('10.244.0.2');
    await fabric.repair();
    expect(await ask(host, '10.64.240.1', 8080)).toBe('10.64.240.1');
    await fabric.removeHostAddress('10.64.240.1');
    await expect(ask(netns, '10.64.240.1', 8080, SILENCE_MS)).rejects.toThrow();
    await expect(fabric.addHostAddress('10.64.0.7')).rejects.toThrow('is not in 10.64.240.0/20');
  });

  describe('after a crash', () => {
    test('the next process takes over existing nodes and pods', async () => {
      const first = await create();
      const node = await first.addNode('node', { podCidrs: ['10.244.0.0/24'] });
      const { netns, ips } = await pod(node, 'pod');
      await serve(netns);
      await first.close();
      fabrics.clear();
      const again = await create();
      expect([...again.nodes.values()]).toEqual([
        expect.objectContaining({
          name: 'node',
          addresses: ['10.64.0.2'],
          podCidrs: ['10.244.0.0/24'],
          netnsPath: node.netnsPath,
        }),
      ]);
      expect(await ask(host, ips[0]!)).toBe('10.64.0.1');
      expect(await again.addNode('node')).toMatchObject({ podCidrs: ['10.244.0.0/24'] });
    });

    test.each<[string, (fabric: Fabric, node: FabricNode) => Promise<unknown>]>([
      ['the host’s interface is gone', (fabric) => runIn('ip', ['link', 'del', fabric.hostInterface], { netns: host })],
      [
        'the node’s interface is gone',
        (_fabric, node) => runIn('ip', ['link', 'del', 'eth0'], { netns: node.netnsPath }),
      ],
      [
        'the node’s interface is down and has another address',
        (_fabric, node) =>
          runIn('ip', ['-batch', '-'], {
            netns: node.netnsPath,
            input: 'addr flush dev eth0\naddr add 10.64.0.77/16 dev eth0\nlink set eth0 down\n',
          }),
      ],
      [
        'routes are gone',
        async (_fabric, node) => {
          await runIn('ip', ['route', 'flush', 'proto', '83'], { netns: host });
          await runIn('ip', ['route', 'flush', 'proto', '83'], { netns: node.netnsPath });
        },
      ],
      [
        'a foreign route took the place',
        (_fabric, node) => runIn('ip', ['route', 'replace', 'default', 'dev', 'lo'], { netns: node.netnsPath }),
      ],
      ['rules are gone', () => runIn('nft', ['flush', 'ruleset'], { netns: host })],
      [
        'a port of a forgotten node is left',
        (fabric) =>
          runIn('ip', ['link', 'add', 'n99', 'type', 'veth', 'peer', 'name', 'n98'], {
            netns: path.join(state(), 'fabric', fabric.name, 'switch'),
          }),
      ],
      ['the switch is gone', async (fabric) => deleteNetns(path.join(state(), 'fabric', fabric.name, 'switch'))],
    ])('%s: repaired', async (_name, damage) => {
      const first = await create();
      const node = await first.addNode('node', { podCidrs: ['10.244.0.0/24'] });
      const { netns, ips } = await pod(node, 'pod');
      await serve(netns);
      await damage(first, node);
      await first.close();
      fabrics.clear();
      const again = await create();
      expect(await ask(host, ips[0]!)).toBe('10.64.0.1');
      expect(await runIn('nft', ['list', 'tables'], { netns: host })).toContain('k8ts-fabric-');
      const ports = await runIn('ip', ['-br', 'link'], { netns: path.join(state(), 'fabric', again.name, 'switch') });
      expect(ports.split('\n').filter((line) => /^n?\d|^n\d/.test(line))).toHaveLength(1);
    });

    test('a node whose namespace is missing gets a new one at the same address', async () => {
      const first = await create();
      const node = await first.addNode('node', { podCidrs: ['10.244.0.0/24'] });
      await first.close();
      fabrics.clear();
      deleteNetns(node.netnsPath);
      fs.writeFileSync(node.netnsPath, '');
      const again = await create();
      expect(isNetns(node.netnsPath)).toBe(true);
      await serve(node.netnsPath, 81);
      expect(await ask(host, '10.64.0.2', 81)).toBe('10.64.0.1');
      expect(again.nodes.size).toBe(1);
    });

    test('a fabric belongs to one process at a time', async () => {
      const first = await create();
      await expect(create()).rejects.toThrow('the fabric of the cluster test belongs to a running process');
      expect((await first.addNode('node')).addresses).toEqual(['10.64.0.2']);
      await first.close();
      fabrics.clear();
      expect((await create()).nodes.size).toBe(1);
    });

    test('a later process can remove everything', async () => {
      const before = await snapshot();
      const first = await create();
      await first.addNode('node', { podCidrs: ['10.244.0.0/24'] });
      await first.close();
      fabrics.clear();
      expect(listFabrics(state())).toEqual(['test']);
      await (await create()).destroy();
      fabrics.clear();
      expect(listFabrics(state())).toEqual([]);
      expect(await snapshot()).toBe(before);
    });
  });

  describe('ranges', () => {
    test('clusters side by side are separate', async () => {
      const [one, two] = await Promise.all([create({ name: 'one' }), create({ name: 'two' })]);
      const all = [one, two].flatMap(({ ranges }) => [...ranges.nodes, ...ranges.pods, ...ranges.services]);
      expect(new Set(all).size).toBe(6);
      const nodes = [
        await one.addNode('node', { podCidrs: [one.ranges.pods[0]!.replace('/16', '/24')] }),
        await two.addNode('node', { podCidrs: [two.ranges.pods[0]!.replace('/16', '/24')] }),
      ];
      await serve(nodes[1]!.netnsPath, 81);
      expect(await ask(host, nodes[1]!.addresses[0]!, 81)).toBe(two.hostAddresses[0]);
      await expect(ask(nodes[0]!.netnsPath, nodes[1]!.addresses[0]!, 81, SILENCE_MS)).rejects.toThrow();
      await one.destroy();
      fabrics.delete(one);
      expect(await ask(host, nodes[1]!.addresses[0]!, 81)).toBe(two.hostAddresses[0]);
      expect(await routes(host)).toContain(`blackhole ${two.ranges.pods[0]}`);
    });

    test('existing routes of the machine are not changed', async () => {
      await runIn('ip', ['-batch', '-'], {
        netns: host,
        input: 'route add 10.244.3.0/24 dev lo\nroute add 10.97.0.0/16 dev lo\n',
      });
      expect((await create()).ranges).toEqual({
        nodes: ['10.66.0.0/16'],
        services: ['10.98.0.0/16'],
        pods: ['10.242.0.0/16'],
      });
    });

    test('chosen ranges are used unless they are in use', async () => {
      const one = await create({ name: 'one', ranges: { pods: ['172.20.0.0/16'] } });
      expect(one.ranges).toEqual({ nodes: ['10.64.0.0/16'], services: ['10.96.0.0/16'], pods: ['172.20.0.0/16'] });
      await expect(create({ name: 'two', ranges: { pods: ['172.20.128.0/17'] } })).rejects.toThrow(
        '172.20.128.0/17 overlaps 172.20.0.0/16 of the cluster one',
      );
      await expect(
        create({ name: 'three', ranges: { pods: ['10.1.0.0/16'], services: ['10.1.2.0/24'] } }),
      ).rejects.toThrow('of the cluster itself');
      await expect(create({ name: 'one', ranges: { pods: ['172.21.0.0/16'] } })).rejects.toThrow(
        'the cluster one has the pods range 172.20.0.0/16, not 172.21.0.0/16',
      );
      await expect(create({ name: 'Nope' })).rejects.toThrow('"Nope" is not a name of a cluster');
      expect(listFabrics(state())).toEqual(['one']);
    });

    test('pod ranges of nodes are in the range of the cluster and do not overlap', async () => {
      const fabric = await create();
      await fabric.addNode('a', { podCidrs: ['10.244.0.0/24'] });
      await expect(fabric.addNode('b', { podCidrs: ['10.244.0.128/25'] })).rejects.toThrow(
        'overlaps 10.244.0.0/24 of the node a',
      );
      await expect(fabric.addNode('b', { podCidrs: ['10.245.0.0/24'] })).rejects.toThrow(
        "is not in the cluster's 10.244.0.0/16",
      );
      await expect(fabric.setPodCidrs('b', ['10.244.1.0/24'])).rejects.toThrow('has no node b on this machine');
      expect([...fabric.nodes.keys()]).toEqual(['a']);
    });
  });
});
