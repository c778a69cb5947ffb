/**
 * Each kubelet on our container runtime, one after the other: the containers go on. `exec` passes through the API server to
 * the kubelet as a WebSocket, and ends with the command's exit code.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ContainerStatus } from '../../src/api/generated/core-v1.ts';
import { issueCertificate, loadAuthority } from '../../src/apiserver/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { freePort } from '../etcd-process.ts';
import { builtProgram } from '../k8ts-process.ts';
import { findProgram, requires } from '../requires.ts';
import { busyboxImage, dockerArchive } from '../test-images.ts';
import { ControlPlane, type Side } from './control-plane.ts';
import { exists } from './workloads.ts';

const missing = requires('root', 'kube-apiserver', 'kubelet', 'etcd', 'kubectl', 'runc', 'conmon', 'busybox', 'umount');
const title = `exchanging kubelets${missing ? ` (skipped: ${missing})` : ''}`;

/** The API server reaches the kubelet by the name of its node. */
const NODE = 'localhost';
const CGROUP = '/k8ts-interchange';
const IMAGE = 'docker.io/library/busybox:test';
const SETTLED_MS = 15_000;
const LIMIT_MS = 60_000;

let plane: ControlPlane | undefined;
let directory = '';
const children: ChildProcess[] = [];

afterEach(async () => {
  await removePod().catch(() => {});
  for (const child of children.splice(0).reverse()) await end(child);
  await plane?.stop();
  plane = undefined;
  // Upstream's kubelet mounts its directory onto itself.
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const below = mounts.map((line) => line.split(' ')[4] ?? '').filter((path) => path.startsWith(`${directory}/`));
  for (const path of below.reverse()) execFileSync('umount', ['-l', path]);
  rmSync(directory, { recursive: true, force: true });
  for (const root of ['', ...readdirSync('/sys/fs/cgroup')]) removeCgroup(join('/sys/fs/cgroup', root, CGROUP));
});

/** With those of its containers, if they are empty. */
function removeCgroup(path: string): void {
  if (!existsSync(path)) return;
  for (const { name } of readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
    removeCgroup(join(path, name));
  try {
    rmdirSync(path);
  } catch {
    // Of cgroups of version 1, some are one under two names.
  }
}

async function removePod(): Promise<void> {
  if (!plane) return;
  const pods = plane.client.resource('v1/pods');
  await pods.delete({ namespace: 'default', name: 'web' });
  await until('the pod is gone', async () => (await pods.list({ namespace: 'default' })).items.length === 0, {
    limitMs: 30_000,
    intervalMs: 500,
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await Promise.race([once(child, 'exit'), new Promise((resolve) => setTimeout(resolve, 10_000))]);
  child.kill('SIGKILL');
}

async function start(side: Side, component: string, flags: readonly string[]): Promise<ChildProcess> {
  const [command, args] =
    side === 'upstream'
      ? [findProgram(component)!, flags]
      : [process.execPath, [await builtProgram(), component, ...flags]];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(join(directory, `${component}-${side}.log`), { flags: 'a' });
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  children.push(child);
  return child;
}

/** One configuration for both. Pods get no cgroups of their own: the test must not touch those of the machine. */
const kubeletConfiguration = (port: number, clientCAFile: string, socket: string): object => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  address: '127.0.0.1',
  port,
  readOnlyPort: 0,
  healthzPort: 0,
  authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile } },
  authorization: { mode: 'Webhook' },
  containerRuntimeEndpoint: `unix://${socket}`,
  cgroupDriver: 'cgroupfs',
  cgroupsPerQOS: false,
  enforceNodeAllocatable: [],
  failCgroupV1: false,
  failSwapOn: false,
  podLogsDir: join(directory, 'pods'),
  evictionHard: {
    'memory.available': '0%',
    'nodefs.available': '0%',
    'imagefs.available': '0%',
    'nodefs.inodesFree': '0%',
  },
  imageGCHighThresholdPercent: 100,
  syncFrequency: '1s',
});

async function writeKubeletFiles(running: ControlPlane, port: number): Promise<string[]> {
  const authority = await loadAuthority({
    certificate: readFileSync(running.file('ca.crt'), 'utf8'),
    key: readFileSync(running.file('ca.key'), 'utf8'),
  });
  const { certificate, key } = await issueCertificate(running.ctx, authority, {
    commonName: `system:node:${NODE}`,
    organizations: ['system:nodes'],
    usage: 'client',
  });
  const admin = JSON.parse(readFileSync(running.kubeconfig, 'utf8')) as Record<string, unknown>;
  const user = { 'client-certificate': join(directory, 'node.crt'), 'client-key': join(directory, 'node.key') };
  writeFileSync(user['client-certificate'], certificate);
  writeFileSync(user['client-key'], key, { mode: 0o600 });
  writeFileSync(join(directory, 'kubelet.kubeconfig'), JSON.stringify({ ...admin, users: [{ name: 'a', user }] }));
  const configuration = kubeletConfiguration(port, running.file('ca.crt'), join(directory, 'cri.sock'));
  writeFileSync(join(directory, 'kubelet.json'), JSON.stringify(configuration));
  return [
    `--config=${join(directory, 'kubelet.json')}`,
    `--kubeconfig=${join(directory, 'kubelet.kubeconfig')}`,
    `--root-dir=${join(directory, 'kubelet')}`,
    `--cert-dir=${join(directory, 'pki')}`,
    `--hostname-override=${NODE}`,
  ];
}

/** Exit code and output of a command in the pod. */
const exec = (running: ControlPlane, command: string): Promise<{ code: unknown; stdout: string; stderr: string }> =>
  new Promise((resolve) =>
    execFile(
      findProgram('kubectl')!,
      [`--kubeconfig=${running.kubeconfig}`, 'exec', 'web', '--', 'sh', '-c', command],
      { timeout: 20_000 },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  );

describe.skipIf(missing)(title, { timeout: 400_000 }, () => {
  it.each<[Side, Side, Side]>([
    ['k8ts', 'upstream', 'k8ts'],
    ['upstream', 'k8ts', 'upstream'],
  ])('on the API server of %s, first %s, then %s, and back', async (apiServer, first, second) => {
    directory = mkdtempSync('/tmp/k8ts-kubelets-');
    plane = await ControlPlane.start('upstream', apiServer, ['--kubelet-preferred-address-types=Hostname']);
    const running = plane;
    const { client } = plane;
    await plane.run('kube-controller-manager', apiServer);
    await client.resource('rbac.authorization.k8s.io/v1/clusterrolebindings').create({
      metadata: { name: 'kubelet-client' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:kubelet-api-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'kube-apiserver-kubelet-client' }],
    });
    mkdirSync(join(directory, 'state'));
    writeFileSync(join(directory, 'image.tar'), dockerArchive(busyboxImage(IMAGE)));
    await start('k8ts', 'container-runtime', [
      `--listen=${join(directory, 'cri.sock')}`,
      `--root=${join(directory, 'root')}`,
      `--state=${join(directory, 'state')}`,
      `--load-archive=${join(directory, 'image.tar')}`,
      '--network=none',
      `--cgroup-parent=${CGROUP}`,
    ]);
    await until('the runtime listens', () => existsSync(join(directory, 'cri.sock')), { limitMs: LIMIT_MS });
    await until('the default ServiceAccount exists', () => exists(client, 'v1/serviceaccounts', 'default', 'default'), {
      limitMs: LIMIT_MS,
    });
    const flags = await writeKubeletFiles(plane, await freePort());
    let kubelet = await start(first, 'kubelet', flags);
    const log = (side: Side) => (): string => readFileSync(join(directory, `kubelet-${side}.log`), 'utf8').slice(-3000);

    const status = async (): Promise<ContainerStatus | undefined> => {
      const pod = await client.resource('v1/pods').get({ namespace: 'default', name: 'web' });
      return pod.status?.containerStatuses?.[0];
    };
    const isReady = async (): Promise<boolean> => {
      const { items } = await client.resource('v1/nodes').list();
      return items.some(({ status: node }) => node?.conditions?.some(({ type }) => type === 'Ready'));
    };
    await until('the node registers', isReady, { limitMs: LIMIT_MS, intervalMs: 500, details: log(first) });
    await client.resource('v1/pods').create({
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        nodeName: NODE,
        hostNetwork: true,
        automountServiceAccountToken: false,
        tolerations: [{ operator: 'Exists' }],
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'c',
            image: IMAGE,
            imagePullPolicy: 'Never',
            command: ['sh', '-c', 'trap exit TERM; while :; do sleep 1; done'],
          },
        ],
      },
    });
    await until('the container runs', async () => (await status())?.state?.running !== undefined, {
      limitMs: LIMIT_MS,
      intervalMs: 500,
      details: log(first),
    });
    const before = await status();
    const answer = { code: 3, stdout: 'out\n', stderr: 'err\ncommand terminated with exit code 3\n' };
    for (const side of [second, first]) {
      expect(await exec(running, 'echo out; echo err >&2; exit 3')).toEqual(answer);
      await end(kubelet);
      kubelet = await start(side, 'kubelet', flags);
      await plane.ctx.clock.sleep(SETTLED_MS);
      if (kubelet.exitCode !== null) throw new Error(`the kubelet of ${side} ended:\n${log(side)()}`);
      const now = await status();
      expect([now?.containerID, now?.restartCount, now?.state]).toEqual([before?.containerID, 0, before?.state]);
    }
    expect(await exec(running, 'echo out; echo err >&2; exit 3')).toEqual(answer);
  });
});
