import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NetworkPolicySpec } from '../api/generated/networking-v1.ts';
import { startTestServer } from '../apiserver/testing/index.ts';
import { Client } from '../client/index.ts';
import { createFabric, type Fabric } from '../cluster/fabric/index.ts';
import { inProcessTransport } from '../cluster/in-process-transport.ts';
import { BridgeNetwork } from '../container-runtime/network/index.ts';
import { createContext, createTestContext } from '../kernel/index.ts';
import { connectIn, datagramIn, listenIn, runIn } from '../net/netns/index.ts';
import { namespacesMissing, TestNamespaces } from '../net/netns/testing/index.ts';
import { clusterView } from './cluster-view.ts';
import { planPolicies } from './plan-policies.ts';
import { PodGate } from './pod-gate.ts';
import { renderTable } from './ruleset.ts';
import { run } from './run.ts';
import { makeNamespace, makePod, makePolicy, type TestPod } from './testing/index.ts';

const missing = namespacesMissing('nft');

/** Four pods on two nodes, in two namespaces; every one serves on these ports, in both families. */
const PORTS = [80, 81, 5000, 5001];
const PATIENT_MS = 10_000;
const PODS = { a: 'x/a n1', b: 'x/b n2', c: 'y/c n1', d: 'y/d n2' } as const;
type Name = keyof typeof PODS;

describe.skipIf(missing !== undefined)(
  `traffic under network policies${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let namespaces: TestNamespaces;
    let host: string;
    let fabric: Fabric;
    const pods = new Map<Name, TestPod & { netns: string }>();
    const closers: (() => Promise<void> | void)[] = [];

    beforeAll(async () => {
      const ctx = createTestContext();
      namespaces = new TestNamespaces();
      host = namespaces.create('host');
      await runIn('ip', ['link', 'set', 'lo', 'up'], { netns: host });
      fabric = await createFabric(ctx, {
        name: 'policies',
        stateDirectory: path.join(namespaces.directory, 'state'),
        hostNetns: host,
        families: ['IPv4', 'IPv6'],
      });
      const networks = new Map<string, BridgeNetwork>();
      for (const [index, name] of ['n1', 'n2'].entries()) {
        const podCidrs = [`10.244.${index + 1}.0/24`, fabric.ranges.pods[1]!.replace('100::/56', `10${index}::/64`)];
        const node = await fabric.addNode(name, { podCidrs });
        const network = await BridgeNetwork.open(ctx, {
          nodeNetns: node.netnsPath,
          stateDirectory: path.join(namespaces.directory, name),
        });
        await network.configure({ podCidrs });
        networks.set(name, network);
        closers.push(() => network.close());
      }
      for (const [name, place] of Object.entries(PODS) as [Name, string][]) {
        const [key, node] = place.split(' ') as [string, string];
        const netns = namespaces.create(name);
        const { ips } = await networks
          .get(node)!
          .attach({ id: name, name, namespace: 'default', uid: name, netnsPath: netns });
        pods.set(name, {
          key,
          node,
          ips,
          netns,
          labels: { name },
          ports: { http: name === 'a' || name === 'c' ? 80 : 81 },
        });
        for (const port of PORTS) {
          const server = net.createServer((socket) => socket.on('error', () => {}).end('yes'));
          await listenIn(server, { netns, host: '::', port });
          closers.push(() => void server.close());
        }
      }
    });
    afterAll(async () => {
      for (const close of closers) await close();
      await fabric?.destroy();
      namespaces?.close();
    });

    const apply = async (policies: Record<string, NetworkPolicySpec>): Promise<void> => {
      const view = clusterView({
        policies: Object.entries(policies).map(([key, spec]) => makePolicy(key, spec)),
        pods: [...pods.values()].map(makePod),
        namespaces: [makeNamespace('x', { team: 'red' }), makeNamespace('y', { team: 'blue' })],
      });
      for (const [nodeName, { netnsPath }] of fabric.nodes)
        await runIn('nft', ['-f', '-'], { netns: netnsPath, input: renderTable(planPolicies(view, { nodeName })) });
    };
    /** Packets that a policy forbids are dropped: nobody says so. What should be answered may take longer on a busy machine. */
    const reaches = (netns: string, address: string, port: number, patienceMs = 250): Promise<boolean> =>
      new Promise((resolve) => {
        let heard = false;
        const socket = connectIn({ netns, host: address, port });
        socket.setTimeout(patienceMs, () => socket.destroy());
        socket.on('error', () => {});
        socket.on('data', () => (heard = true));
        socket.on('close', () => resolve(heard));
      });
    const place = (name: string): string =>
      pods.get(name as Name)?.netns ?? (name === 'host' ? host : fabric.nodes.get(name)!.netnsPath);
    /** "a>b:80 c>b:80": which of all the given connections are answered, in both families where both answer alike. */
    const answered = async (...connections: string[]): Promise<string> => answeredAs('', connections);
    const answeredAs = async (expected: string, connections: readonly string[]): Promise<string> => {
      const patient = new Set(expected.split(' '));
      const results = await Promise.all(
        connections.map(async (connection) => {
          const [from, to, port] = connection.split(/[>:]/) as [string, Name, string];
          const patienceMs = patient.has(connection) ? PATIENT_MS : undefined;
          const both = await Promise.all(
            pods.get(to)!.ips.map((ip) => reaches(place(from), ip, Number(port), patienceMs)),
          );
          return both.every(Boolean) ? connection : both.some(Boolean) ? `${connection}(one family)` : '';
        }),
      );
      return results.filter(Boolean).join(' ');
    };

    const everyone = (to: Name, port = 80): string[] =>
      ['a', 'b', 'c', 'd'].filter((from) => from !== to).map((from) => `${from}>${to}:${port}`);
    const only = (name: string): { matchLabels: Record<string, string> } => ({ matchLabels: { name } });

    test.each<[string, Record<string, NetworkPolicySpec>, string[], string]>([
      [
        'without policies everything passes',
        {},
        [...everyone('a'), ...everyone('d')],
        'b>a:80 c>a:80 d>a:80 a>d:80 b>d:80 c>d:80',
      ],
      [
        'default deny of ingress; the node itself still probes, others do not',
        { 'x/p': { podSelector: {} } },
        [...everyone('a'), ...everyone('b'), 'n1>a:80', 'n2>b:80', 'n2>a:80', 'host>a:80', ...everyone('c')],
        'n1>a:80 n2>b:80 a>c:80 b>c:80 d>c:80',
      ],
      [
        'default deny of egress',
        { 'x/p': { podSelector: {}, policyTypes: ['Egress'] } },
        [...everyone('a'), ...everyone('c')],
        'c>a:80 d>a:80 d>c:80',
      ],
      [
        'pods of the namespace',
        { 'x/p': { podSelector: only('a'), ingress: [{ from: [{ podSelector: only('b') }] }] } },
        everyone('a'),
        'b>a:80',
      ],
      [
        'pods of another namespace are not meant by a pod selector alone',
        { 'x/p': { podSelector: only('a'), ingress: [{ from: [{ podSelector: {} }] }] } },
        everyone('a'),
        'b>a:80',
      ],
      [
        'namespaces by label',
        {
          'x/p': {
            podSelector: only('a'),
            ingress: [{ from: [{ namespaceSelector: { matchLabels: { team: 'blue' } } }] }],
          },
        },
        everyone('a'),
        'c>a:80 d>a:80',
      ],
      [
        'namespaces and pods',
        {
          'x/p': {
            podSelector: only('a'),
            ingress: [
              {
                from: [
                  {
                    namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['red'] }] },
                    podSelector: only('d'),
                  },
                ],
              },
            ],
          },
        },
        everyone('a'),
        'd>a:80',
      ],
      [
        'ports',
        { 'x/p': { podSelector: only('a'), ingress: [{ ports: [{ port: 80 }] }] } },
        [...everyone('a'), 'b>a:81', 'c>a:5000'],
        'b>a:80 c>a:80 d>a:80',
      ],
      [
        'ranges of ports',
        { 'x/p': { podSelector: only('a'), ingress: [{ ports: [{ protocol: 'TCP', port: 5000, endPort: 5001 }] }] } },
        ['b>a:80', 'b>a:5000', 'c>a:5001'],
        'b>a:5000 c>a:5001',
      ],
      [
        'named ports of the selected pods',
        { 'x/p': { podSelector: {}, ingress: [{ ports: [{ port: 'http' }] }] } },
        ['d>a:80', 'd>a:81', 'd>b:80', 'd>b:81'],
        'd>a:80 d>b:81',
      ],
      [
        'named ports of the peers',
        {
          'x/p': {
            podSelector: only('a'),
            policyTypes: ['Egress'],
            egress: [{ to: [{ namespaceSelector: {} }], ports: [{ port: 'http' }] }],
          },
        },
        ['a>b:80', 'a>b:81', 'a>c:80', 'a>c:81'],
        'a>b:81 a>c:80',
      ],
      [
        'peers and ports of different rules are not mixed',
        {
          'x/p': {
            podSelector: only('a'),
            ingress: [
              { from: [{ podSelector: only('b') }], ports: [{ port: 80 }] },
              { from: [{ namespaceSelector: {}, podSelector: only('c') }], ports: [{ port: 81 }] },
            ],
          },
        },
        ['b>a:80', 'b>a:81', 'c>a:80', 'c>a:81'],
        'b>a:80 c>a:81',
      ],
      [
        'policies add up',
        {
          'x/p': { podSelector: {} },
          'x/q': { podSelector: only('a'), ingress: [{ from: [{ podSelector: only('b') }] }] },
        },
        [...everyone('a'), 'a>b:80'],
        'b>a:80',
      ],
      [
        'both sides must allow',
        {
          'x/p': { podSelector: only('a'), ingress: [{}] },
          'y/q': { podSelector: only('c'), policyTypes: ['Egress'] },
        },
        everyone('a'),
        'b>a:80 d>a:80',
      ],
      [
        'an empty rule allows everything',
        { 'x/p': { podSelector: {}, policyTypes: ['Ingress', 'Egress'], ingress: [{}], egress: [{}] } },
        [...everyone('a'), 'a>d:81'],
        'b>a:80 c>a:80 d>a:80 a>d:81',
      ],
      [
        'another protocol is not TCP',
        { 'x/p': { podSelector: only('a'), ingress: [{ ports: [{ protocol: 'UDP', port: 80 }] }] } },
        everyone('a'),
        '',
      ],
      [
        'a pod reaches itself whatever policies say',
        { 'x/p': { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } },
        ['a>a:80', 'b>b:80'],
        'a>a:80 b>b:80',
      ],
    ])('%s', async (_name, policies, connections, expected) => {
      await apply(policies);
      expect(await answeredAs(expected, connections)).toBe(expected);
    });

    test('blocks of addresses with exceptions', async () => {
      const [c4] = pods.get('c')!.ips;
      await apply({
        'x/p': {
          podSelector: only('a'),
          ingress: [{ from: [{ ipBlock: { cidr: '0.0.0.0/0', except: [`${c4}/32`] } }] }],
        },
      });
      const from = async (name: string): Promise<boolean[]> =>
        Promise.all(pods.get('a')!.ips.map((ip) => reaches(place(name), ip, 80)));
      expect(await Promise.all(['b', 'c', 'host'].map(from))).toEqual([
        [true, false],
        [false, false],
        [true, false],
      ]);
      await apply({
        'x/p': {
          podSelector: only('a'),
          ingress: [{ from: [{ ipBlock: { cidr: '::/0' } }, { ipBlock: { cidr: '10.244.1.0/24' } }] }],
        },
      });
      expect(await Promise.all(['b', 'c', 'host'].map(from))).toEqual([
        [false, true],
        [true, true],
        [false, true],
      ]);
      await apply({ 'x/p': { podSelector: only('a'), ingress: [{ from: [{ ipBlock: { cidr: '0.0.0.0/0' } }] }] } });
      expect(await from('d')).toEqual([true, false]);
    });

    test('datagrams: a query and its answer', async () => {
      await apply({
        'x/p': {
          podSelector: {},
          policyTypes: ['Ingress', 'Egress'],
          egress: [{ ports: [{ protocol: 'UDP', port: 53 }] }],
        },
      });
      const server = await datagramIn({ netns: place('d'), host: '0.0.0.0', port: 53 });
      server.on('message', (_message, { port, address }) => server.send('answer', port, address));
      const client = await datagramIn({ netns: place('a'), host: '0.0.0.0', port: 0 });
      client.send('query', 53, pods.get('d')!.ips[0]!);
      expect(String((await once(client, 'message'))[0])).toBe('answer');
      const silent = await datagramIn({ netns: place('d'), host: '0.0.0.0', port: 54 });
      let heard = 0;
      silent.on('message', () => heard++);
      client.send('query', 54, pods.get('d')!.ips[0]!);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(heard).toBe(0);
      for (const socket of [server, client, silent]) socket.close();
    });

    test('egress to the node itself, and always allowed traffic', async () => {
      const server = net.createServer((socket) => socket.on('error', () => {}).end('yes'));
      const node = fabric.nodes.get('n1')!;
      await listenIn(server, { netns: node.netnsPath, host: '::', port: 53 });
      closers.push(() => void server.close());
      const address = node.addresses[0]!;
      await apply({ 'x/p': { podSelector: {}, policyTypes: ['Egress'] } });
      expect(await reaches(place('a'), address, 53)).toBe(false);
      expect(await reaches(place('c'), address, 53)).toBe(true);
      const view = clusterView({
        policies: [makePolicy('x/p', { podSelector: {}, policyTypes: ['Egress'] })],
        pods: [...pods.values()].map(makePod),
        namespaces: [],
      });
      const allowing = planPolicies(view, { nodeName: 'n1', alwaysAllowed: [{ address, protocol: 'TCP', port: 53 }] });
      await runIn('nft', ['-f', '-'], { netns: node.netnsPath, input: renderTable(allowing) });
      expect(await reaches(place('a'), address, 53)).toBe(true);
    });

    test('existing connections continue when a policy is added', async () => {
      await apply({});
      const server = net.createServer((socket) => socket.on('error', () => {}).pipe(socket));
      await listenIn(server, { netns: place('a'), host: '0.0.0.0', port: 7 });
      const socket = connectIn({ netns: place('d'), host: pods.get('a')!.ips[0]!, port: 7 });
      await once(socket, 'connect');
      await apply({ 'x/p': { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } });
      socket.write('still there');
      expect(String((await once(socket, 'data'))[0])).toBe('still there');
      socket.destroy();
      server.close();
    });

    test('the component follows the API server, repairs its table and leaves it in force', async () => {
      await apply({ 'x/stale': { podSelector: {} } });
      const server = await startTestServer();
      const stop = new AbortController();
      const ctx = createContext({ signal: stop.signal, writeLog: () => {} });
      const client = new Client({
        transport: inProcessTransport({
          handle: server.pipeline.handle,
          user: { name: 'admin', groups: ['system:masters'] },
          signal: stop.signal,
        }),
        clock: ctx.clock,
        userAgent: 'test',
      });
      const { netnsPath } = fabric.nodes.get('n1')!;
      let running: Promise<void> | undefined;
      try {
        for (const name of ['x', 'y']) await client.resource('v1/namespaces').create({ metadata: { name } });
        for (const pod of pods.values()) {
          const { metadata, spec, status } = makePod(pod);
          const created = await client.resource('v1/pods').create({ metadata, spec });
          await client.resource('v1/pods').updateStatus({ ...created, status });
        }
        await new Promise<void>((resolve, reject) => {
          running = run(ctx, { client, nodeName: 'n1', netns: netnsPath, onReady: resolve });
          running.catch(reject);
        });
        expect(await answeredAs('b>a:80', ['b>a:80'])).toBe('b>a:80');
        const policies = client.resource('networking.k8s.io/v1/networkpolicies');
        await policies.create({
          metadata: { name: 'p', namespace: 'x' },
          spec: {
            podSelector: {},
            policyTypes: ['Ingress'],
            ingress: [{ from: [{ namespaceSelector: { matchLabels: { team: 'blue' } } }] }],
          },
        });
        await expect.poll(() => answered('b>a:80', 'c>a:80'), { timeout: 10_000 }).toBe('');
        const y = (await client.resource('v1/namespaces').get({ name: 'y' }))!;
        await client
          .resource('v1/namespaces')
          .update({ ...y, metadata: { ...y.metadata, labels: { ...y.metadata.labels, team: 'blue' } } });
        await expect.poll(() => answered('b>a:80', 'c>a:80'), { timeout: 10_000 }).toBe('c>a:80');
        stop.abort();
        await running?.catch(() => {});
        expect(await answeredAs('c>a:80', ['b>a:80', 'c>a:80'])).toBe('c>a:80');
        expect(await runIn('nft', ['list', 'tables'], { netns: netnsPath })).toContain('k8ts-fabric');
      } finally {
        stop.abort();
        await running?.catch(() => {});
        await server.stop();
      }
    });

    test('a new pod is protected from its first packet, before its status has an address', async () => {
      const server = await startTestServer();
      const stop = new AbortController();
      const ctx = createContext({ signal: stop.signal, writeLog: () => {} });
      const client = new Client({
        transport: inProcessTransport({
          handle: server.pipeline.handle,
          user: { name: 'admin', groups: ['system:masters'] },
          signal: stop.signal,
        }),
        clock: ctx.clock,
        userAgent: 'test',
      });
      const { netnsPath } = fabric.nodes.get('n1')!;
      const gate = new PodGate({ unknownPodTimeoutMs: 300 });
      const network = await BridgeNetwork.open(ctx, {
        nodeNetns: netnsPath,
        stateDirectory: path.join(namespaces.directory, 'n1'),
      });
      let running: Promise<void> | undefined;
      try {
        for (const name of ['x', 'y']) await client.resource('v1/namespaces').create({ metadata: { name } });
        running = run(ctx, { client, nodeName: 'n1', netns: netnsPath, gate });
        await client.resource('networking.k8s.io/v1/networkpolicies').create({
          metadata: { name: 'deny', namespace: 'x' },
          spec: { podSelector: { matchLabels: { guarded: 'yes' } }, policyTypes: ['Ingress', 'Egress'] },
        });
        /**
         * A pod as a node makes it: attached, let in, and then its container listens and speaks. Its status never says
         * an address.
         */
        const start = async (
          name: string,
          labels: Record<string, string>,
        ): Promise<{ ips: readonly string[]; netns: string }> => {
          const { metadata, spec } = makePod({ key: `x/${name}`, node: 'n1', ips: [], labels });
          await client.resource('v1/pods').create({ metadata, spec });
          const netns = namespaces.create(name);
          const { ips } = await network.attach({ id: name, name, namespace: 'x', uid: name, netnsPath: netns });
          await gate.admit({ sandboxId: name, namespace: 'x', name, ips });
          const listener = net.createServer((socket) => socket.on('error', () => {}).end('yes'));
          await listenIn(listener, { netns, host: '::', port: 80 });
          closers.push(() => void listener.close());
          return { ips, netns };
        };
        const hammered = async (
          { ips, netns }: { ips: readonly string[]; netns: string },
          patienceMs?: number,
        ): Promise<boolean[]> => {
          const others = pods.get('d')!;
          return Promise.all(
            Array.from({ length: 10 }, () => [
              ...ips.map((ip) => reaches(place('d'), ip, 80, patienceMs)),
              ...others.ips.map((ip) => reaches(netns, ip, 80, patienceMs)),
            ]).flat(),
          );
        };
        // The first may come before the policy is known to this node; from then on it is.
        await expect
          .poll(
            async () =>
              (await runIn('nft', ['list', 'table', 'inet', 'k8ts-network-policy'], { netns: netnsPath })).includes(
                'chain',
              ),
            { timeout: 10_000 },
          )
          .toBe(true);
        await expect
          .poll(
            async () =>
              (await hammered(await start(`probe-${Math.floor(ctx.clock.monotonic())}`, { guarded: 'yes' }))).some(
                Boolean,
              ),
            { timeout: 10_000 },
          )
          .toBe(false);
        for (const name of ['one', 'two', 'three'])
          expect(await hammered(await start(name, { guarded: 'yes' }))).not.toContain(true);
        expect(await hammered(await start('free', { guarded: 'no' }), PATIENT_MS)).not.toContain(false);
        const unknown = await network.attach({
          id: 'unknown',
          name: 'unknown',
          namespace: 'x',
          uid: 'unknown',
          netnsPath: namespaces.create('unknown'),
        });
        await expect(
          gate.admit({ sandboxId: 'unknown', namespace: 'x', name: 'unknown', ips: unknown.ips }),
        ).rejects.toThrow('pod x/unknown is not in the informer');
        await gate.admit({ sandboxId: 'elsewhere', namespace: 'y', name: 'elsewhere', ips: ['10.244.1.99'] });
        const waiting = gate.admit({ sandboxId: 'late', namespace: 'x', name: 'late', ips: ['10.244.1.98'] });
        stop.abort(new Error('the node ends'));
        await expect(waiting).rejects.toThrow();
      } finally {
        stop.abort();
        await running?.catch(() => {});
        await network.close();
        await server.stop();
      }
    });
  },
);
