/** Each kube-proxy on each API server, one after the other on the same node while Services are called. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceSpec } from '../../src/api/generated/core-v1.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { runIn } from '../../src/net/netns/index.ts';
import { namespacesMissing } from '../../src/net/netns/testing/index.ts';
import { builtProgram } from '../k8ts-process.ts';
import { findProgram, requires } from '../requires.ts';
import { ControlPlane, type Side } from './control-plane.ts';
import { errorsOf } from './logs.ts';
import { NODE_ADDRESS, NodeNetwork, PODS, type Place } from './node-network.ts';

type Mode = 'nftables' | 'iptables';

const missing =
  requires('kube-apiserver', 'kube-proxy', 'etcd', 'nsenter', 'iptables', 'conntrack') ??
  namespacesMissing('nft', 'ip');
const title = `exchanging kube-proxies${missing ? ` (skipped: ${missing})` : ''}`;

const NODE = 'node-a';
/** The address of a load balancer, which accepts the node and those outside. */
const BALANCER = '203.0.113.5';
const LIMIT_MS = 60_000;
/** Upstream deletes the chains of its predecessor a second after it stopped using them. */
const SETTLED_MS = 3000;

let plane: ControlPlane | undefined;
let network: NodeNetwork | undefined;
let proxy: { child: ChildProcess; logFile: string } | undefined;
afterEach(async () => {
  await end();
  network?.close();
  await plane?.stop();
  network = plane = undefined;
});

async function end(): Promise<void> {
  const child = proxy?.child;
  proxy = undefined;
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Starts the kube-proxy of a side on the node. */
async function start(side: Side, mode: Mode, run: number): Promise<void> {
  const configuration = plane!.write(
    'kube-proxy.yaml',
    JSON.stringify({
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      mode,
      hostnameOverride: NODE,
      clusterCIDR: '10.244.0.0/16',
      nodePortAddresses: ['primary'],
      clientConnection: { kubeconfig: plane!.kubeconfig },
      // The machine's own settings stay.
      conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
      iptables: { minSyncPeriod: '100ms' },
      nftables: { minSyncPeriod: '100ms' },
    }),
  );
  const command =
    side === 'upstream' ? [findProgram('kube-proxy')!] : [process.execPath, await builtProgram(), 'kube-proxy'];
  const child = spawn('nsenter', [`--net=${network!.file('node')}`, ...command, `--config=${configuration}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const logFile = plane!.file(`kube-proxy-${side}-${mode}-${run}.log`);
  const log = createWriteStream(logFile);
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  proxy = { child, logFile };
}

const proxyLog = (): string => (proxy ? readFileSync(proxy.logFile, 'utf8') : '');

/** A Service with an endpoint in each pod; its cluster IP and node port. */
async function createService(
  name: string,
  more: ServiceSpec = {},
  pods: readonly string[] = Object.values(PODS),
): Promise<{ clusterIp: string; nodePort: number }> {
  const { client } = plane!;
  const { spec } = await client.resource('v1/services').create({
    metadata: { name, namespace: 'default' },
    spec: { type: 'NodePort', ports: [{ name: 'http', port: 80, targetPort: 8080 }], ...more },
  });
  await client.resource('discovery.k8s.io/v1/endpointslices').create({
    metadata: { name, namespace: 'default', labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: pods.map((address) => ({ addresses: [address], nodeName: NODE, conditions: { ready: true } })),
  });
  return { clusterIp: spec!.clusterIP!, nodePort: spec!.ports![0]!.nodePort! };
}

describe.skipIf(missing)(title, { timeout: 300_000 }, () => {
  it.each<[Side, Mode]>([
    ['k8ts', 'nftables'],
    ['k8ts', 'iptables'],
    ['upstream', 'nftables'],
    ['upstream', 'iptables'],
  ])('on the API server of %s, with %s', async (apiServer, mode) => {
    plane = await ControlPlane.start('upstream', apiServer);
    const { client, ctx } = plane;
    network = await NodeNetwork.create(ctx.clock);
    const here = network;
    await network.relay(plane.port);
    const node = await client.resource('v1/nodes').create({ metadata: { name: NODE } });
    await client
      .resource('v1/nodes')
      .updateStatus({ ...node, status: { addresses: [{ type: 'InternalIP', address: NODE_ADDRESS }] } });
    const web = await createService('web');
    const sticky = await createService('sticky', { sessionAffinity: 'ClientIP', externalTrafficPolicy: 'Local' });
    await createService('empty', {}, []);
    await createService('balanced', { type: 'LoadBalancer', loadBalancerSourceRanges: ['192.168.50.0/24'] });
    const balanced = await client.resource('v1/services').get({ namespace: 'default', name: 'balanced' });
    await client
      .resource('v1/services')
      .updateStatus({ ...balanced, status: { loadBalancer: { ingress: [{ ip: BALANCER }] } } });

    const answers = (place: Place, host: string, port: number) => async (): Promise<boolean> =>
      (await here.call(place, host, port)) in PODS;
    await start('upstream', mode, 0);
    await until('the first kube-proxy forwards', answers('client', web.clusterIp, 80), {
      limitMs: LIMIT_MS,
      intervalMs: 100,
      details: proxyLog,
    });
    const chosen = await here.call('client', sticky.clusterIp, 80);
    const rules = new Map<Side, string[]>([['upstream', await listRules(mode)]]);

    /** One follows the other; the calls that failed meanwhile. */
    const exchange = async (side: Side, run: number): Promise<{ failures: string[]; errors: string[] }> => {
      const stop = new AbortController();
      const calls = Promise.all([
        here.callUntil(stop.signal, 'client', web.clusterIp, 80),
        here.callUntil(stop.signal, 'node', web.clusterIp, 80),
        here.callUntil(stop.signal, 'outside', NODE_ADDRESS, web.nodePort),
        here.callUntil(stop.signal, 'outside', NODE_ADDRESS, sticky.nodePort),
      ]);
      const open = Promise.all([
        here.keepOpen(stop.signal, 'client', web.clusterIp, 80),
        here.keepOpen(stop.signal, 'outside', NODE_ADDRESS, web.nodePort),
      ]);
      await end();
      await start(side, mode, run);
      const later = await createService(`later-${run}`);
      await until(`the kube-proxy of ${side} forwards what is new`, answers('client', later.clusterIp, 80), {
        limitMs: LIMIT_MS,
        intervalMs: 50,
        details: proxyLog,
      });
      await ctx.clock.sleep(SETTLED_MS);
      // Something that changes makes it delete what it no longer uses.
      await client.resource('v1/services').delete({ namespace: 'default', name: `later-${run}` });
      await client
        .resource('discovery.k8s.io/v1/endpointslices')
        .delete({ namespace: 'default', name: `later-${run}` });
      await until('the deleted Service is gone', async () => !(await answers('client', later.clusterIp, 80)()), {
        limitMs: LIMIT_MS,
        intervalMs: 200,
        details: proxyLog,
      });
      await ctx.clock.sleep(SETTLED_MS);
      stop.abort();
      const made = await calls;
      for (const each of made) expect(each.made).toBeGreaterThan(50);
      expect(await open).toEqual([undefined, undefined]);
      expect(await here.call('client', sticky.clusterIp, 80)).toBe(chosen);
      expect([await answers('outside', BALANCER, 80)(), await answers('client', BALANCER, 80)()]).toEqual([
        true,
        false,
      ]);
      // Later tables of upstream still have chains of ours, which nothing uses.
      if (!rules.has(side)) rules.set(side, await listRules(mode));
      return { failures: made.flatMap(({ failures }) => failures), errors: errorsOf(proxyLog()) };
    };
    const alone = await exchange('upstream', 1);
    let run = 2;
    for (const side of ['k8ts', 'k8ts', 'upstream'] as const) {
      const { failures, errors } = await exchange(side, run++);
      expect(failures.length, failures.join('\n')).toBeLessThanOrEqual(alone.failures.length);
      expect(errors.filter((line) => !alone.errors.includes(line))).toEqual([]);
    }
    const [theirs, ours] = [rules.get('upstream')!, new Set(rules.get('k8ts'))];
    expect(theirs.length).toBeGreaterThan(20);
    expect(theirs.filter((line) => !ours.has(line))).toEqual([]);
    if (mode === 'iptables') expect([...ours]).toEqual([...new Set(theirs)]);
  });
});

interface NftObject {
  name?: string;
  chain?: string;
  type?: unknown;
  map?: unknown;
  hook?: string;
  prio?: number;
  flags?: unknown;
  timeout?: number;
  elem?: unknown[];
  expr?: object[];
}

/**
 * The rules of the node, one a line. With nftables upstream has chains for each Service, which are known by a slash in
 * their names; Services without session affinity share chains with ours, so of verdicts only the keys are compared.
 */
async function listRules(mode: Mode): Promise<string[]> {
  const netns = network!.file('node');
  if (mode === 'iptables') {
    const text = await runIn('iptables-save', [], { netns });
    return (
      text
        .split('\n')
        .filter((line) => line.includes('KUBE') && !/KUBE-KUBELET|KUBE-FIREWALL|later-/.test(line))
        // Upstream counts the invalid packets where the kernel has nfacct.
        .map((line) => line.replace(/ \[\d+:\d+\]$| -m nfacct --nfacct-name +\S+/g, ''))
        .sort()
    );
  }
  const text = await runIn('nft', ['-j', 'list', 'table', 'ip', 'kube-proxy'], { netns });
  const { nftables } = JSON.parse(text) as { nftables: Record<string, NftObject>[] };
  const lines = nftables.flatMap((entry) => {
    const [[kind, object] = ['', {}]] = Object.entries(entry);
    if (kind === 'chain')
      return object.name!.includes('/')
        ? []
        : [JSON.stringify(['chain', object.name, object.type, object.hook, object.prio])];
    if (kind === 'rule' && object.chain!.startsWith('firewall-'))
      return [JSON.stringify(['firewall', object.expr!.filter((expression) => !('counter' in expression))])];
    if (kind !== 'set' && kind !== 'map') return [];
    const { name, type, map, flags, timeout, elem = [] } = object;
    const keys = elem.map((element) => (kind === 'map' ? (element as unknown[])[0] : element));
    return [
      JSON.stringify([kind, name, type, map, flags, timeout]),
      ...(name!.startsWith('affinity-')
        ? []
        : keys.map((key) => JSON.stringify([name, (key as { elem?: { val: unknown } }).elem?.val ?? key]))),
    ];
  });
  return [...lines, ...(await chainRules(netns))].sort();
}

/** Rules in nft's own words, without comments. */
async function chainRules(netns: string): Promise<string[]> {
  const text = await runIn('nft', ['-s', 'list', 'table', 'ip', 'kube-proxy'], { netns });
  let chain = '';
  return text.split('\n').flatMap((line) => {
    chain = /^\tchain (\S+) \{/.exec(line)?.[1] ?? (line.startsWith('\t}') ? '' : chain);
    const rule = line.trim().replace(/ comment ".*"$/, '');
    return chain === '' || chain.includes('/') || /^(?:chain|type|comment)\b|^$|^\}/.test(rule)
      ? []
      : [`${chain}: ${rule}`];
  });
}
