/** `why connection` between nodes that run containers: what it says, and whether the connection really works. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../src/client/index.ts';
import { startCluster, type Cluster } from '../src/cluster/index.ts';
import { loadImage } from '../src/cluster/node-fleet/index.ts';
import { readNodeRules } from '../src/cluster/node-rules.ts';
import { connectionText, whyConnection, type ConnectionAnswer } from '../src/glass/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { until } from '../src/kernel/testing/index.ts';
import { connectIn, runIn } from '../src/net/netns/index.ts';
import { everything, requires } from './requires.ts';
import { busyboxImage, dockerArchive, webImage } from './test-images.ts';

const missing = everything ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox') : 'in the long form';

describe.skipIf(missing)(`why connection on two nodes${missing ? ` (${missing})` : ''}`, { timeout: 240_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-why-connection-'));
  const stop = new AbortController();
  const ctx = createContext({ signal: stop.signal, writeLog: () => {} });
  let cluster: Cluster;
  let client: Client;
  let address = '';

  const netns = (node: string): string => cluster.fleet!.fabric.nodes.get(node)!.netnsPath;
  const nft = (node: string, commands: string): Promise<string> =>
    runIn('nft', ['-f', '-'], { netns: netns(node), input: commands });
  const ask = (to: string): Promise<ConnectionAnswer> =>
    whyConnection({
      client,
      from: 'pod/client',
      to,
      now: () => ctx.clock.now(),
      nodeRules: (node) => readNodeRules(netns(node), ctx.signal),
    });
  /** Whether node-1 reaches the Service. */
  const answers = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connectIn({ netns: netns('node-1'), host: address, port: 80, signal: AbortSignal.timeout(2000) });
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('close', () => resolve(false)).once('connect', () => socket.destroy());
    });

  beforeAll(async () => {
    cluster = await startCluster(ctx, {
      dataDirectory: join(directory, 'data'),
      bindAddress: '127.0.0.1',
      port: 0,
      serviceClusterIpRange: '10.98.0.0/16',
      clusterCidr: '10.246.0.0/16',
      controllers: ['*'],
      addons: ['dns'],
      nodes: 2,
    });
    client = cluster.clientAs({ name: 'admin', groups: ['system:masters', 'system:authenticated'] }, 'test');
    const archive = join(directory, 'images.tar');
    writeFileSync(archive, dockerArchive(busyboxImage(), webImage()));
    await loadImage(cluster.fleet!, archive);
    const pods = client.resource('v1/pods');
    const pod = (name: string, nodeName: string, container: object) =>
      pods.create({
        metadata: { name, namespace: 'default', labels: { app: name } },
        spec: {
          nodeName,
          terminationGracePeriodSeconds: 0,
          containers: [{ name: 'main', imagePullPolicy: 'Never', ...container }],
        },
      });
    await pod('client', 'node-1', { image: busyboxImage().name, command: ['sleep', '10000'] });
    await pod('web', 'node-2', { image: webImage().name, ports: [{ containerPort: 8080 }] });
    const service = await client.resource('v1/services').create({
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    address = service.spec!.clusterIP!;
    const isRunning = async (name: string): Promise<boolean> =>
      (await pods.get({ namespace: 'default', name })).status?.phase === 'Running';
    await until('the client runs', () => isRunning('client'), { limitMs: 120_000 });
    await until('the Service answers', answers, { limitMs: 120_000 });
  }, 240_000);

  afterAll(async () => {
    stop.abort(new Error('the test has ended'));
    await cluster?.finished.catch(() => undefined);
    rmSync(directory, { recursive: true, force: true });
  }, 120_000);

  it('finds the rules of kube-proxy in the kernel of both nodes', async () => {
    const answer = await ask('service/web:80');
    expect(answer.works, connectionText(answer)).toBe(true);
    const steps = answer.steps.filter(({ step }) => step.startsWith('Kernel'));
    expect(steps.map(({ step, passes, evidence }) => ({ step, passes, evidence }))).toEqual([
      { step: 'Kernel rules', passes: true, evidence: undefined },
      { step: 'Kernel of node-1', passes: true, evidence: undefined },
      { step: 'Kernel of node-2', passes: true, evidence: undefined },
    ]);
    expect(answer.unknown.join()).not.toContain('kernel');
  });

  it('names a rule of a Service that is missing in the kernel', async () => {
    await nft('node-1', `delete element ip kube-proxy service-ips { ${address} . tcp . 80 }`);
    expect(await answers()).toBe(false);
    const { works, cause } = await ask('service/web:80');
    expect({ works, cause }).toEqual({
      works: false,
      cause: `the kernel of node node-1 has no rule that translates ${address}:80, so connections to it fail`,
    });
    await nft('node-1', `add element ip kube-proxy service-ips { ${address} . tcp . 80 : goto lb-tcp-1 }`);
    expect(await answers()).toBe(true);
    expect((await ask('service/web:80')).works).toBe(true);
  });

  it('names an endpoint that is not one any more', async () => {
    const key = `${address} . 80 . 0`;
    const { podIP } = (await client.resource('v1/pods').get({ namespace: 'default', name: 'web' })).status!;
    await nft(
      'node-1',
      `delete element ip kube-proxy endpoints-tcp { ${key} }\nadd element ip kube-proxy endpoints-tcp { ${key} : 10.246.1.250 . 8080 }`,
    );
    expect(await answers()).toBe(false);
    const answer = await ask('service/web:80');
    expect(answer.cause, connectionText(answer)).toContain('10.246.1.250:8080: these are not the endpoints of now');
    await nft(
      'node-1',
      `delete element ip kube-proxy endpoints-tcp { ${key} }\nadd element ip kube-proxy endpoints-tcp { ${key} : ${podIP} . 8080 }`,
    );
    expect(await answers()).toBe(true);
  });

  it('names a rule of somebody else that drops packets, on the other node', async () => {
    await nft(
      'node-2',
      'table inet firewall { chain forward { type filter hook forward priority 5; tcp dport 8080 drop; }; }',
    );
    expect(await answers()).toBe(false);
    const answer = await ask('service/web:80');
    expect(answer.works, connectionText(answer)).toBe(false);
    expect(answer.cause).toMatch(
      /^the rules of node node-2 end packets to [\d.]+:8080: table inet firewall, chain forward: tcp dport 8080 drop$/,
    );
    await nft('node-2', 'delete table inet firewall');
    expect(await answers()).toBe(true);
  });

  it('names a NetworkPolicy, and finds its rule in the kernel when the API does not show it any more', async () => {
    const policies = client.resource('networking.k8s.io/v1/networkpolicies');
    await policies.create({
      metadata: { name: 'closed', namespace: 'default' },
      spec: { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Ingress'] },
    });
    const isDropped = async (): Promise<boolean> => {
      const rules = JSON.stringify(await readNodeRules(netns('node-2'), ctx.signal));
      return /closed/.test(rules) || !(await answers());
    };
    await until('the policy is in force', isDropped, { limitMs: 60_000 });
    const { works, cause } = await ask('service/web:80');
    expect({ works, cause }).toMatchObject({
      works: false,
      cause: expect.stringContaining('NetworkPolicy default/closed isolates default/web') as string,
    });
    // As a user who sees no policies: the kernel shows what happens all the same.
    const kernel = await whyConnection({
      client: clientWithoutPolicies(client),
      from: 'pod/client',
      to: 'service/web:80',
      now: () => ctx.clock.now(),
      nodeRules: (node) => readNodeRules(netns(node), ctx.signal),
    });
    expect(kernel.works, connectionText(kernel)).toBe(false);
    expect(kernel.cause).toContain('the rules of node node-2 end packets');
    expect(kernel.cause).toContain('k8ts-network-policy');
    await policies.delete({ namespace: 'default', name: 'closed' });
    await until('the Service answers again', answers, { limitMs: 60_000 });
  });
});

/** The same client, to which the API shows no NetworkPolicy. */
function clientWithoutPolicies(client: Client): Client {
  return new Proxy(client, {
    get(target, name) {
      if (name !== 'resource') return Reflect.get(target, name, target) as unknown;
      return (resource: string) =>
        resource === 'networking.k8s.io/v1/networkpolicies'
          ? { list: () => Promise.resolve({ items: [], metadata: {} }) }
          : target.resource(resource as never);
    },
  });
}
