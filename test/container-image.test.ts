/** The project's own Dockerfile and devcontainer feature, built and run by our own runtime. */
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../src/kernel/testing/index.ts';
import { BARE_SYSTEM_NEEDS, copySystem, environmentInside } from './bare-system.ts';
import { builtProgram, startK8ts, type K8tsProcess } from './k8ts-process.ts';
import { everything, findProgram, requires } from './requires.ts';

const missing = everything
  ? requires(...BARE_SYSTEM_NEEDS, 'runc', 'conmon', 'nft', 'kubectl', 'busybox')
  : 'only with K8TS_EVERYTHING=1';
const title = `the container image${missing === undefined ? '' : ` (${missing})`}`;
const MINUTE_MS = 60_000;
const project = path.join(import.meta.dirname, '..');
/** The arguments that the head of the Dockerfile names for nodes that run containers. */
const REAL = ['up', '--data-dir', '/data/cluster', '--bind-address', '0.0.0.0', '--nodes', '1'];

describe.skipIf(missing !== undefined)(title, () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-container-image-'));
  let k8ts: K8tsProcess;

  beforeAll(async () => {
    k8ts = await startK8ts({ dataDirectory: path.join(directory, 'data'), flags: ['--nodes', '1'] });
    const root = path.join(directory, 'root');
    copySystem(root);
    // Devices cannot be copied into an image: every container gets its own.
    fs.rmSync(path.join(root, 'dev'), { recursive: true });
    fs.mkdirSync(path.join(root, 'dev'));
    const environment = Object.entries(environmentInside(root)).map(([name, value]) => `ENV ${name}=${value}\n`);
    const base = path.join(directory, 'Dockerfile.base');
    fs.writeFileSync(base, `FROM scratch\nCOPY . /\n${environment.join('')}`);
    for (const name of basesOf(path.join(project, 'Dockerfile'))) await build(name, root, ['--file', base]);
    const clone = path.join(directory, 'clone');
    await promisify(execFile)('git', ['clone', '--quiet', '--depth', '1', `file://${project}`, clone]);
    await build('k8ts:test', clone);
  }, 20 * MINUTE_MS);
  afterAll(async () => {
    await k8ts?.stop();
    fs.rmSync(directory, { recursive: true, force: true });
  }, 2 * MINUTE_MS);

  /** What the build has printed. */
  async function build(tag: string, context: string, more: readonly string[] = []): Promise<string> {
    const dataDirectory = path.join(directory, 'data');
    const args = [await builtProgram(), 'image', 'build', '-t', tag, '--data-dir', dataDirectory, ...more, context];
    return (await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 })).stderr;
  }

  async function kubectl(args: readonly string[], input?: Buffer | string): Promise<string> {
    const child = spawn('kubectl', ['--kubeconfig', k8ts.kubeconfig, ...args], { stdio: 'pipe' });
    child.stdin.on('error', () => {}).end(input ?? '');
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${errors}${output}`);
    return output;
  }

  async function runPod(name: string, container: object): Promise<void> {
    const spec = {
      terminationGracePeriodSeconds: 10,
      containers: [{ name: 'main', imagePullPolicy: 'Never', ...container }],
      volumes: [{ name: 'data', emptyDir: {} }],
    };
    await kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }));
  }

  const inside = (pod: string, ...command: string[]): Promise<string> => kubectl(['exec', pod, '--', ...command]);
  const put = (pod: string, file: string, content: Buffer): Promise<string> =>
    kubectl(['exec', '-i', pod, '--', 'sh', '-c', `cat > ${file} && chmod 755 ${file}`], content);

  async function untilReady(pod: string): Promise<void> {
    await until(
      `the cluster in ${pod} is ready`,
      async () => (await kubectl(['logs', pod]).catch(() => '')).includes('ready in'),
      {
        limitMs: 3 * MINUTE_MS,
        intervalMs: 500,
        details: () => k8ts.output(),
      },
    );
  }

  it(
    'runs a simulated cluster without privileges',
    async () => {
      await runPod('simulated', {
        image: 'k8ts:test',
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      });
      await untilReady('simulated');
      expect(await inside('simulated', 'k8ts', 'nodes', 'list', '--data-dir', '/data/cluster')).toMatch(
        / simulated +true/,
      );
      const listening = await inside('simulated', 'cat', '/proc/net/tcp', '/proc/net/tcp6');
      expect(listening, 'the port 6443 of EXPOSE').toMatch(/:192B 0+:0000 0A/);
      await kubectl(['delete', 'pod', 'simulated', '--timeout=60s']);
    },
    5 * MINUTE_MS,
  );

  it(
    'runs containers with privileges',
    async () => {
      await runPod('real', {
        image: 'k8ts:test',
        args: REAL,
        securityContext: { privileged: true },
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
      });
      await untilReady('real');
      const cluster = ['--data-dir', '/data/cluster'];
      expect(await inside('real', 'k8ts', 'nodes', 'list', ...cluster)).toMatch(/ real +true/);
      await inside('real', 'mkdir', '-p', '/tmp/box/bin');
      await put('real', '/tmp/box/bin/busybox', fs.readFileSync(findProgram('busybox')!));
      await put('real', '/usr/local/bin/kubectl', fs.readFileSync(findProgram('kubectl')!));
      await inside('real', 'k8ts', 'image', 'build', '-t', 'box:1', ...cluster, '/tmp/box');
      const run =
        'kubectl run inner --image=box:1 --restart=Never --command -- /bin/busybox echo from the inner container';
      await inside(
        'real',
        'sh',
        '-c',
        `export KUBECONFIG=/data/cluster/kubeconfig; ${run} &&
        kubectl wait pod/inner --for=jsonpath={.status.phase}=Succeeded --timeout=120s`,
      );
      expect(await inside('real', 'sh', '-c', 'KUBECONFIG=/data/cluster/kubeconfig kubectl logs inner')).toBe(
        'from the inner container\n',
      );
      await kubectl(['delete', 'pod', 'real', '--timeout=60s']);
    },
    10 * MINUTE_MS,
  );

  it(
    'the devcontainer feature installs the release and its completions',
    async () => {
      const feature = path.join(directory, 'feature');
      fs.cpSync(path.join(project, 'devcontainer/k8ts'), feature, { recursive: true });
      await promisify(execFile)('npm', ['pack', '--pack-destination', feature], { cwd: project });
      const archive = fs.readdirSync(feature).find((name) => name.endsWith('.tgz'));
      // The release is in no registry yet: npm takes a file for a version, too.
      const dockerfile = `FROM ${basesOf(path.join(project, 'Dockerfile'))[0]}
COPY . /tmp/feature
ENV VERSION=file:/tmp/feature/${archive}
RUN /tmp/feature/install.sh
RUN k8ts version && grep complete /usr/share/bash-completion/completions/k8ts
`;
      fs.writeFileSync(path.join(feature, 'Dockerfile'), dockerfile);
      expect(await build('feature:test', feature)).toMatch(/\nk8ts \d[^]*\ncomplete /);
    },
    5 * MINUTE_MS,
  );
});

/** The images that a Dockerfile starts from, besides its own stages. */
function basesOf(file: string): string[] {
  const froms = [...fs.readFileSync(file, 'utf8').matchAll(/^FROM (\S+)/gm)];
  return [...new Set(froms.map(([, name = '']) => name))];
}
