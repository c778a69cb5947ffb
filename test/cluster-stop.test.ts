/** A cluster that is told to end does so within seconds, whatever its pods and clients are waiting for. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../src/kernel/testing/index.ts';
import { builtProgram, startK8ts, type K8tsProcess } from './k8ts-process.ts';
import { everything, requires } from './requires.ts';
import { busyboxImage, dockerArchive } from './test-images.ts';

const missing = everything
  ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'kubectl', 'busybox')
  : 'only with K8TS_EVERYTHING=1';
const LIMIT_MS = 10_000;
const IMAGE = 'busybox:test';
const run = promisify(execFile);

describe.skipIf(missing !== undefined)(`ending a busy cluster${missing === undefined ? '' : ` (${missing})`}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'cluster-stop-'));
  let k8ts: K8tsProcess;
  /** It accepts connections and never answers. */
  let registry: Server;
  const sockets = new Set<Socket>();
  const clients: ChildProcess[] = [];

  beforeEach(async () => {
    registry = createServer((socket) => void sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    const data = join(directory, 'data');
    k8ts = await startK8ts({ dataDirectory: data, flags: ['--nodes', '2'] });
    const archive = join(directory, 'image.tar');
    writeFileSync(archive, dockerArchive(busyboxImage(`docker.io/library/${IMAGE}`)));
    await run(process.execPath, [await builtProgram(), 'image', 'load', archive, '--data-dir', data]);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.kill('SIGKILL');
    for (const socket of sockets) socket.destroy();
    registry?.close();
    await k8ts?.stop('SIGKILL');
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const environment = (): NodeJS.ProcessEnv => ({ ...process.env, HOME: directory, KUBECONFIG: k8ts.kubeconfig });
  const kubectl = async (...args: string[]): Promise<string> =>
    (await run('kubectl', args, { env: environment(), timeout: 60_000 })).stdout;
  const keepRunning = (...args: string[]): void =>
    void clients.push(spawn('kubectl', args, { env: environment(), stdio: 'ignore' }));

  const SLEEP = 'trap "" TERM; while :; do sleep 1; done';
  const exec = { command: ['sh', '-c', 'sleep 1000'] };
  const probe = { periodSeconds: 1, timeoutSeconds: 1000 };
  const pod = (name: string, container: object = {}, spec: object = {}): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: {
      terminationGracePeriodSeconds: 1000,
      containers: [
        { name: 'main', image: IMAGE, imagePullPolicy: 'IfNotPresent', command: ['sh', '-c', SLEEP], ...container },
      ],
      ...spec,
    },
  });
  const mounts = { volumeMounts: [{ name: 'v', mountPath: '/v' }] };
  const answers101 =
    'while :; do printf "HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: x\\r\\n\\r\\n" | nc -l -p 80; done';

  function pods(): object[] {
    const { port } = registry.address() as AddressInfo;
    return [
      pod('runs'),
      pod('pulls', { image: `127.0.0.1:${port}/never:v1` }),
      pod('starts', { lifecycle: { postStart: { exec } } }),
      pod('is-probed', { readinessProbe: { exec, ...probe }, livenessProbe: { exec, ...probe } }),
      pod('is-dialled', { readinessProbe: { tcpSocket: { port: 1, host: '192.0.2.1' }, ...probe } }),
      pod('upgrades', {
        command: ['sh', '-c', answers101],
        readinessProbe: { httpGet: { port: 80 }, ...probe },
      }),
      pod('crashes', { command: ['false'] }),
      pod('waits-for-config', mounts, { volumes: [{ name: 'v', configMap: { name: 'missing' } }] }),
      pod('waits-for-claim', mounts, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'missing' } }] }),
      pod('is-stopped'),
      pod('runs-its-hook', { lifecycle: { preStop: { exec } } }),
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'many' },
        spec: {
          replicas: 10,
          selector: { matchLabels: { app: 'many' } },
          template: { metadata: { labels: { app: 'many' } }, spec: (pod('many') as { spec: object }).spec },
        },
      },
    ];
  }

  it.each(['SIGTERM', 'SIGINT'] as const)('by %s takes seconds, and names nothing that did not end', async (signal) => {
    await kubectl('create', 'namespace', 'ends');
    writeFileSync(join(directory, 'pods.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: pods() }));
    await kubectl('apply', '-f', join(directory, 'pods.json'));
    await kubectl('wait', '--for=condition=Ready', '--timeout=60s', 'pod/runs', 'pod/is-stopped', 'pod/runs-its-hook');
    keepRunning('delete', 'pod', 'is-stopped', 'runs-its-hook');
    keepRunning('logs', '-f', 'runs');
    keepRunning('exec', 'runs', '--', 'sleep', '1000');
    keepRunning('port-forward', 'pod/runs', ':80');
    keepRunning('get', 'pods', '--watch');
    // A TLS handshake that does not end.
    sockets.add(connect(k8ts.port, '127.0.0.1').on('error', () => {}));
    await until(
      'a pull and the probes are under way',
      async () => {
        const { items } = JSON.parse(await kubectl('get', 'pods', '-o', 'json')) as { items: RunningPod[] };
        const running = items.filter(({ status }) => status.containerStatuses?.[0]?.state.running !== undefined);
        const names = running.map(({ metadata }) => metadata.name);
        return sockets.size > 1 && ['is-probed', 'is-dialled', 'upgrades'].every((name) => names.includes(name));
      },
      { limitMs: 60_000, intervalMs: 500 },
    );
    // New pods start while the cluster ends.
    await kubectl('scale', 'deployment/many', '--replicas=20');
    const startedAt = performance.now();
    await k8ts.stop(signal);
    const took = performance.now() - startedAt;
    console.log(`ended by ${signal} in ${(took / 1000).toFixed(1)} s`);
    expect(k8ts.output()).not.toContain('Failed to stop in time');
    expect(k8ts.output()).toMatch(/stopped\n$/);
    expect(took).toBeLessThan(LIMIT_MS);
    expect((await run('ps', ['-eo', 'args'])).stdout).not.toContain(directory);
  });
});

interface RunningPod {
  readonly metadata: { readonly name: string };
  readonly status: { readonly containerStatuses?: { readonly state: { readonly running?: object } }[] };
}
