/** `k8ts trace` against running clusters, in processes of their own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, loadKubeconfig, type Client } from '../src/client/index.ts';
import { RemoteSpans, spansOf, type FollowedTrace } from '../src/glass/index.ts';
import { createContext, type RecordedSpan } from '../src/kernel/index.ts';
import { builtProgram } from './k8ts-process.ts';
import { everything, requires, some } from './requires.ts';
import { busyboxImage, dockerArchive, webImage } from './test-images.ts';

const scratch = mkdtempSync(join(tmpdir(), 'k8ts-trace-'));
const file = (name: string): string => join(scratch, name);
const ctx = createContext({ writeLog: () => {} });
const started = new Set<string>();
const clients: Client[] = [];

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function k8ts(...args: string[]): Promise<Result> {
  const child = spawn(process.execPath, [await builtProgram(), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const result = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (result[name] += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...result })));
}

async function up(directory: string, ...flags: string[]): Promise<Client> {
  started.add(directory);
  const common = ['--data-dir', directory, '--port=0', '--addons=none', '--console=false', '--detach'];
  const { code, stderr } = await k8ts('up', ...common, ...flags);
  if (code !== 0) throw new Error(stderr);
  const client = connect(ctx, await loadKubeconfig({ clock: ctx.clock, file: join(directory, 'kubeconfig') }));
  clients.push(client);
  return client;
}

const web = (image: string, readinessProbe?: object) => {
  const labels = { app: 'web' };
  const container = {
    name: 'main',
    image,
    imagePullPolicy: 'IfNotPresent',
    ...(readinessProbe ? { readinessProbe } : {}),
  };
  const template = { metadata: { labels }, spec: { terminationGracePeriodSeconds: 0, containers: [container] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas: 3, selector: { matchLabels: labels }, template },
  };
};

afterAll(async () => {
  for (const client of clients) await client.close();
  for (const directory of started) await k8ts('down', '--data-dir', directory);
  rmSync(scratch, { recursive: true, force: true });
}, 60_000);

describe('k8ts trace', { timeout: 120_000 }, () => {
  const directory = file('simulated');
  const trace = (...args: string[]): Promise<Result> => k8ts('trace', '--data-dir', directory, ...args);

  beforeAll(async () => {
    await up(directory, '--nodes=0', '--simulated-nodes=1');
    writeFileSync(file('web.json'), JSON.stringify(web('web:1')));
    const { stdout, stderr, code } = await trace('apply', '-f', file('web.json'));
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/patch deployments default\/web .*by kubernetes-admin/);
    expect(stdout.match(/create pods\/binding/g)).toHaveLength(3);
    expect(stdout).toContain('nothing waits');
  }, 120_000);

  /** Each is done on its own: the first ones also in the short form. */
  it.each(
    some<[string, string[], RegExp]>(
      [
        [
          'scale',
          ['scale', 'deployment/web', '--replicas', '2'],
          /patch deployments\/scale default\/web[^]*delete pods default\/web-/,
        ],
        [
          '--last -o mermaid',
          ['deployment/web', '--last', '-o', 'mermaid'],
          /^flowchart TD\n[^]*patch deployments\/scale default\/web/,
        ],
        ['--all', ['--all'], /^trace apply -f [^]*\n\ntrace scale deployment\/web/m],
        [
          'scale -o otlp',
          ['scale', 'deployment/web', '--replicas', '1', '-o', 'otlp'],
          /^{"resourceSpans":.*"trace scale deployment\/web --replicas 1"/,
        ],
        [
          'delete',
          ['delete', 'deployment/web'],
          /delete deployments default\/web[^]*delete replicasets default\/web-[^]*delete pods/,
        ],
      ],
      3,
    ),
  )('%s', async (_, args, expected) => {
    const { code, stdout, stderr } = await trace(...args);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(expected);
  });

  it.skipIf(requires('kubectl'))('-- COMMAND', async () => {
    const { stdout } = await trace('--', 'kubectl', 'create', 'service', 'clusterip', 'web', '--tcp=80');
    expect(stdout).toMatch(/\ntrace kubectl create service.*\n[^]*create services default\/web .*by kubernetes-admin/);
    expect(stdout).toMatch(/reconcile endpoint_slice default\/web[^]*create endpointslices/);
  });

  it('says that nothing was written by a command that only reads', async () => {
    const { stderr } = await trace('--', process.execPath, '-e', '0');
    expect(stderr).toContain('nothing was written');
  });
});

/** What goes on anyway, whether or not somebody applies anything: leases, and what a node that has just started says of itself. */
const isOfNode = ({ attributes }: RecordedSpan): boolean => {
  const { 'k8s.resource': resource, 'k8s.object.name': name } = attributes;
  return resource === 'leases' || resource === 'nodes' || (resource === 'events' && String(name).startsWith('node-1.'));
};

const missing = everything ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox') : 'in the long form';

describe.skipIf(missing)(`a Deployment of 3 on a node that runs containers${missing ? ` (${missing})` : ''}`, () => {
  it('is traced completely, to the first answer of its Service', { timeout: 300_000 }, async () => {
    const directory = file('real');
    const client = await up(directory, '--nodes=1');
    writeFileSync(file('images.tar'), dockerArchive(busyboxImage(), webImage()));
    expect(await k8ts('image', 'load', file('images.tar'), '--data-dir', directory)).toMatchObject({ code: 0 });
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
    };
    const probe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 };
    writeFileSync(
      file('web.yaml'),
      [web(webImage().name, probe), service].map((one) => JSON.stringify(one)).join('\n---\n'),
    );
    const spans = new RemoteSpans(client, ctx.signal);
    const from = await spans.next();
    const before = Number((await client.resource('v1/namespaces').list()).metadata.resourceVersion);
    const result = await k8ts(
      ...['trace', 'apply', '-f', file('web.yaml'), '--until-served', 'service/web'],
      ...['--data-dir', directory, '--timeout', '120s', '-o', 'json'],
    );
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: '' });
    const trace = JSON.parse(result.stdout) as FollowedTrace;
    const inTree = spansOf(trace.root);
    const names = new Set(inTree.map(({ name }) => name));
    for (const name of [
      'run pod sandbox',
      'start container',
      'readiness probe',
      'schedule',
      'reconcile endpoint_slice',
      'write proxy rules',
      'request service',
    ])
      expect(names, name).toContain(name);
    expect(trace.waiting).toEqual([]);
    // Every revision of that time was recorded, and is in the tree or of the node itself.
    const written = new Map(
      (await spans.since(from))
        .filter(({ name }) => name === 'commit')
        .map((span) => [Number(span.attributes['etcd.revision']), span]),
    );
    const last = Math.max(...inTree.map(({ attributes }) => Number(attributes['etcd.revision'] ?? 0)));
    const known = new Set(inTree.map(({ attributes }) => attributes['etcd.revision']));
    const unexplained: string[] = [];
    for (let revision = before + 1; revision <= last; revision++) {
      const span = written.get(revision);
      if (!span) unexplained.push(`revision ${revision} was not recorded`);
      else if (!known.has(revision) && !isOfNode(span)) unexplained.push(JSON.stringify(span.attributes));
    }
    expect(unexplained).toEqual([]);
    expect(last - before).toBeGreaterThan(30);
  });
});
