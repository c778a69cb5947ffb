/** `k8ts why` on a node that runs containers: each situation is really made, and the answer names its cause and the next step. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, loadKubeconfig, type Client } from '../src/client/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { until } from '../src/kernel/testing/index.ts';
import { builtProgram } from './k8ts-process.ts';
import { everything, requires } from './requires.ts';
import { busyboxImage, dockerArchive, webImage } from './test-images.ts';

const missing = everything ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox') : 'in the long form';
const PATIENCE_MS = 120_000;

describe.skipIf(missing)(`why, with containers${missing ? ` (${missing})` : ''}`, { timeout: 240_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-why-'));
  const ctx = createContext({ writeLog: () => {} });
  let client: Client;

  async function k8ts(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const command = [await builtProgram(), ...args, '--data-dir', directory];
    const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] });
    const result = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => (result[name] += text));
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...result })));
  }

  /** Asks until the answer has all of it: kubelet and controllers need a moment. */
  async function answers(args: readonly string[], ...wanted: readonly (string | RegExp)[]): Promise<void> {
    let last = '';
    const isThere = async (): Promise<boolean> => {
      const { code, stdout, stderr } = await k8ts('why', ...args);
      last = `exit code ${code}\n${stdout}${stderr}`;
      return code === 0 && wanted.every((text) => (text instanceof RegExp ? text.test(stdout) : stdout.includes(text)));
    };
    await until(`k8ts why ${args.join(' ')} says ${wanted.join(' and ')}`, isThere, { limitMs: PATIENCE_MS }).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${last}`);
      },
    );
  }

  const busybox = (script: string, more: object = {}) => ({
    name: 'main',
    image: busyboxImage().name,
    imagePullPolicy: 'Never',
    command: ['sh', '-c', script],
    ...more,
  });
  const run = (name: string, container: object, { metadata = {}, ...spec }: Record<string, object | number> = {}) =>
    client.resource('v1/pods').create({
      metadata: { name, namespace: 'default', labels: { app: name }, ...(metadata as object) },
      spec: { terminationGracePeriodSeconds: 0, containers: [container], ...spec },
    } as never);
  const serve = (name: string, app: string, targetPort = 8080) =>
    client.resource('v1/services').create({
      metadata: { name, namespace: 'default' },
      spec: { selector: { app }, ports: [{ port: 80, targetPort }] },
    });

  beforeAll(async () => {
    const up = await k8ts('up', '--port=0', '--nodes=1', '--addons=dns', '--console=false', '--detach');
    expect(up).toMatchObject({ code: 0 });
    const archive = join(directory, 'images.tar');
    writeFileSync(archive, dockerArchive(busyboxImage(), webImage()));
    expect(await k8ts('image', 'load', archive)).toMatchObject({ code: 0 });
    client = connect(ctx, await loadKubeconfig({ clock: ctx.clock, file: join(directory, 'kubeconfig') }));
  }, 240_000);

  afterAll(async () => {
    await client?.close();
    await k8ts('down');
    rmSync(directory, { recursive: true, force: true });
  }, 120_000);

  it('a pod is Pending, or has its node', async () => {
    await run('huge', busybox('sleep 10000', { resources: { requests: { cpu: '500' } } }));
    await run('placed', busybox('sleep 10000'));
    await answers(
      ['pod/huge'],
      'Pod default/huge: Pending',
      '- node-1: NodeResourcesFit: Insufficient cpu',
      /What helps: request at most \d+m cpu \(500000m is requested/,
    );
    await answers(['pod/placed'], 'Ready on node node-1', '1 of 1 nodes fit', /node-1 scored \d+/);
  });

  it('a pod is not Ready: its probe, and what the probe got', async () => {
    const readinessProbe = { httpGet: { path: '/ready', port: 9999 }, periodSeconds: 1 };
    await run('unready', busybox('sleep 10000', { readinessProbe }));
    await answers(
      ['pod/unready'],
      'Running, not Ready',
      'Unhealthy: container main runs, and its readiness probe does not succeed',
      /- Readiness probe failed: .*connection refused/,
      'the probe: GET /ready on port 9999, every 1 s',
      'kubectl logs -n default unready -c main',
    );
  });

  it('a pod does not run: exit codes, memory, an image that is not there', async () => {
    await run('crash', busybox('echo no database; exit 3'));
    await run('oom', busybox('tail /dev/zero', { resources: { limits: { memory: '16Mi' } } }));
    await run('imageless', { ...busybox('true'), image: 'example.com/nothing:1' });
    await answers(
      ['pod/crash'],
      'CrashLoopBackOff: container main ended with exit code 3',
      'kubectl logs -n default crash -c main --previous',
    );
    await answers(['pod/oom'], 'OOMKilled: container main ended with exit code 137', 'higher memory limit');
    await answers(['pod/imageless'], 'ErrImageNeverPull', 'the image example.com/nothing:1 cannot be pulled');
  });

  it('a pod was evicted', async () => {
    const mount = { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] };
    await run('hungry', busybox('dd if=/dev/zero of=/scratch/f bs=1M count=8; sleep 10000', mount), {
      volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Mi' } }],
    });
    await answers(
      ['pod/hungry'],
      'Pod default/hungry: Evicted',
      'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi"',
      'the kubelet of node node-1 evicted it',
      'What helps: ',
    );
  });

  it('a pod stays Terminating: its grace period, or a finalizer', async () => {
    await run('stubborn', busybox("trap '' TERM; while :; do sleep 1; done"), { terminationGracePeriodSeconds: 3600 });
    await run('held', busybox('sleep 10000'), { metadata: { finalizers: ['example.com/hold'] } });
    await answers(['pod/stubborn'], 'Ready on node node-1');
    const pods = client.resource('v1/pods');
    for (const name of ['stubborn', 'held']) await pods.delete({ namespace: 'default', name });
    await answers(['pod/stubborn'], 'Terminating', /its containers have \d+ s more of their grace period of 3600 s/);
    await answers(['pod/held'], 'Terminating', 'the finalizer example.com/hold holds it', 'set it at');
    await pods.delete({ namespace: 'default', name: 'stubborn' }, { gracePeriodSeconds: 0 });
    await pods.patch({ namespace: 'default', name: 'held' }, { metadata: { finalizers: null } }, { type: 'merge' });
  });

  it('a Deployment, its Service and the Ingress before it, down to the container', async () => {
    const labels = { app: 'shop' };
    await client.resource('apps/v1/deployments').create({
      metadata: { name: 'shop', namespace: 'default' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [busybox('exit 7') as never] } },
      },
    });
    await serve('shop', 'shop');
    await client.resource('networking.k8s.io/v1/ingresses').create({
      metadata: { name: 'shop', namespace: 'default' },
      spec: { defaultBackend: { service: { name: 'shop', port: { number: 80 } } } },
    });
    for (const asked of ['deployment/shop', 'service/shop', 'ingress/shop'])
      await answers([asked], 'container main ended with exit code 7');
  });

  it('a claim, an autoscaler, a quota and a namespace', async () => {
    await client.resource('v1/persistentvolumeclaims').create({
      metadata: { name: 'data', namespace: 'default' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'gone',
        resources: { requests: { storage: '1Gi' } },
      },
    });
    await client.resource('autoscaling/v2/horizontalpodautoscalers').create({
      metadata: { name: 'shop', namespace: 'default' },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' }, maxReplicas: 3 },
    });
    await client.resource('v1/namespaces').create({ metadata: { name: 'team' } });
    await client
      .resource('v1/resourcequotas')
      .create({ metadata: { name: 'small', namespace: 'team' }, spec: { hard: { configmaps: '1' } } });
    const held = { name: 'held', namespace: 'team', finalizers: ['example.com/keep'] };
    await answers(['pvc/data'], 'StorageClassNotFound');
    await answers(['hpa/shop'], 'FailedGetResourceMetric');
    // The ConfigMap of root certificates is the one that the quota allows.
    await answers(['quota/small', '-n', 'team'], 'configmaps 1 of 1', 'QuotaFull');
    await client.resource('v1/resourcequotas').delete({ namespace: 'team', name: 'small' });
    await client.resource('v1/configmaps').create({ metadata: held });
    await client.resource('v1/namespaces').delete({ name: 'team' });
    await answers(['namespace/team'], 'ConfigMap team/held: Terminating', 'the finalizer example.com/keep holds it');
    await client
      .resource('v1/configmaps')
      .patch({ namespace: 'team', name: 'held' }, { metadata: { finalizers: null } }, { type: 'merge' });
  });

  it('a connection works, or meets no process', async () => {
    await run('web', {
      name: 'main',
      image: webImage().name,
      imagePullPolicy: 'Never',
      ports: [{ containerPort: 8080 }],
    });
    await serve('web', 'web');
    await serve('wrong', 'web', 8081);
    await answers(
      ['connection', 'pod/placed', 'to', 'service/web:80'],
      'should work',
      'Kernel rules: ok',
      'DNS: ok: web is web.default.svc.cluster.local',
    );
    await answers(
      ['connection', 'pod/placed', 'to', 'service/wrong:80'],
      'not known whether it works: no container declares port 8081: it has 8080',
    );
  });

  it('a request was refused, and who is denied it', async () => {
    const config = await loadKubeconfig({ clock: ctx.clock, file: join(directory, 'kubeconfig') });
    const jane = connect(ctx, config, { impersonate: { user: 'jane' } });
    await expect(jane.resource('v1/pods').delete({ namespace: 'default', name: 'placed' })).rejects.toThrow(
      'forbidden',
    );
    await jane.close();
    const { body } = await client.request({ method: 'GET', path: '/apis/glass.k8ts.dev/v1alpha1/requests' });
    const { items } = body as {
      items: readonly { metadata: { name: string }; status: { user: string; code: number } }[];
    };
    const id = items.find(({ status }) => status.user === 'jane')?.metadata.name ?? '';
    await answers(
      ['request', id],
      'DELETE /api/v1/namespaces/default/pods/placed by jane',
      'refused: pods "placed" is forbidden',
      'Flow schema',
      'RBAC: no opinion',
    );
    await answers(['denied', '--as', 'jane', 'delete', 'pods/placed'], 'jane may not delete pods "placed"', 'RBAC');
  });
});
