import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it as vitestIt } from 'vitest';
import type { Pod } from '../src/api/generated/core-v1.ts';
import { startNodeCluster, type NodeCluster } from './node-cluster.ts';
import { containerd, ownRuntime } from './node-runtimes.ts';
import { everything, requires } from './requires.ts';

const RUNTIMES = [
  {
    title: 'with our runtime',
    startRuntime: ownRuntime,
    imageVolumes: true,
    missing: requires('root', 'runc', 'conmon', 'kubectl', 'busybox'),
  },
  {
    title: 'with containerd',
    startRuntime: containerd,
    imageVolumes: false,
    missing: everything
      ? requires('root', 'runc', 'containerd', 'ctr', 'kubectl', 'busybox')
      : 'only with K8TS_EVERYTHING=1',
  },
];

/** Real containers under real kubectl: what a user of one node does. */
describe.each(RUNTIMES.map((one) => ({ ...one, title: one.missing ? `${one.title} (${one.missing})` : one.title })))(
  'pods on a node $title',
  ({ startRuntime, imageVolumes, missing }) => {
    let c: NodeCluster;
    beforeAll(async () => {
      if (!missing) c = await startNodeCluster({ startRuntime });
    });
    const it = vitestIt.skipIf(missing);
    afterAll(() => c?.close());

    const pod = (name: string): Promise<Pod> => c.client.resource('v1/pods').get({ namespace: 'default', name });
    const events = async (name: string): Promise<string[]> =>
      (
        await c.client
          .resource('v1/events')
          .list({ namespace: 'default', fieldSelector: `involvedObject.name=${name}` })
      ).items.map(({ reason, message }) => `${reason}: ${message}`);
    const make = (
      name: string,
      spec: Partial<NonNullable<Pod['spec']>>,
      metadata: Pod['metadata'] = {},
    ): Promise<Pod> =>
      c.client.resource('v1/pods').create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...metadata, name, namespace: 'default' },
        spec: { terminationGracePeriodSeconds: 1, containers: [], ...spec },
      });
    const busybox = (command: string, more: object = {}) => ({
      name: 'main',
      image: 'busybox',
      imagePullPolicy: 'IfNotPresent',
      command: ['sh', '-c', command],
      ...more,
    });
    const exec = (name: string, command: string, container = 'main'): Promise<string> =>
      c.ok(['exec', name, '-c', container, '--', 'sh', '-c', command]);
    const untilReady = (name: string): Promise<void> =>
      c.until(
        `${name} is ready`,
        async () =>
          (await pod(name)).status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ??
          false,
      );

    it('runs, execs, logs, copies, forwards ports and deletes', async () => {
      await c.ok('run a --image=www --image-pull-policy=IfNotPresent --port=8080');
      await untilReady('a');
      expect(await c.ok('exec a -- cat /etc/hosts')).toMatch(
        /^# Kubernetes-managed hosts file\.\n127\.0\.0\.1\tlocalhost\n[^]*\t+a\n$/,
      );
      expect(await c.ok(['exec', 'a', '--', 'cat', '/etc/resolv.conf'])).toBe(
        'search default.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n',
      );
      expect((await c.kubectl(['exec', 'a', '--', 'sh', '-c', 'exit 7'])).code).toBe(7);
      const file = join(c.directory, 'copied');
      await c.ok(['cp', 'a:/www/index.html', file]);
      expect(readFileSync(file, 'utf8')).toBe('ok\n');
      rmSync(file);
      expect(await throughPortForward('a', 8080)).toContain('ok');
      expect((await events('a')).sort()).toEqual([
        'Created: Container created',
        'Pulled: Container image "www" already present on machine and can be accessed by the pod',
        'Scheduled: Successfully assigned default/a to node-1',
        'Started: Container started',
      ]);
      await c.ok('delete pod a --now');
      expect((await c.kubectl('get pod a')).stderr).toContain('not found');
    });

    /** kubectl says where it listens, then a request goes through. */
    async function throughPortForward(name: string, port: number): Promise<string> {
      const forward = spawn('kubectl', ['port-forward', `pod/${name}`, `:${port}`], {
        env: { ...process.env, KUBECONFIG: c.kubeconfig },
      });
      try {
        const local = await new Promise<string>((resolve, reject) => {
          forward.stdout.on('data', (data: Buffer) => {
            const match = /127\.0\.0\.1:(\d+)/.exec(data.toString());
            if (match?.[1]) resolve(match[1]);
          });
          forward.once('exit', () => reject(new Error('kubectl port-forward ended')));
        });
        return await (await fetch(`http://127.0.0.1:${local}/`)).text();
      } finally {
        forward.kill();
      }
    }

    it('follows logs to the end, and shows those of the previous run', async () => {
      await make('logs', {
        restartPolicy: 'OnFailure',
        containers: [
          busybox(
            'n=$(cat /data/n 2>/dev/null); echo "run ${n:-0}"; echo 1 > /data/n; [ -n "$n" ] || exit 1; for i in 1 2 3; do echo line $i; sleep 0.2; done',
            { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
          ),
        ],
        volumes: [{ name: 'data', emptyDir: {} }],
      });
      await c.until(
        'it runs again',
        async () => (await pod('logs')).status?.containerStatuses?.[0]?.restartCount === 1,
      );
      expect(await c.ok('logs -f logs')).toBe('run 1\nline 1\nline 2\nline 3\n');
      expect(await c.ok('logs logs --previous')).toBe('run 0\n');
      expect(await c.ok('logs logs --tail=1')).toBe('line 3\n');
      expect(await c.ok('logs logs --limit-bytes=5')).toBe('run 1');
      expect(await c.ok('logs logs --timestamps --tail=1')).toMatch(/^20\S+Z line 3\n$/);
      await c.until('it succeeded', async () => (await pod('logs')).status?.phase === 'Succeeded');
      await c.ok('delete pod logs --now');
    });

    it('has files, variables and init containers', async () => {
      await c.client.resource('v1/configmaps').create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'cm', namespace: 'default' },
        data: { a: '1', 'b.txt': 'two' },
      });
      await c.client.resource('v1/secrets').create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'sec', namespace: 'default' },
        data: { pw: Buffer.from('hunter2').toString('base64') },
      });
      await make(
        'vols',
        {
          securityContext: { fsGroup: 2000 },
          hostAliases: [{ ip: '1.2.3.4', hostnames: ['foo', 'bar'] }],
          initContainers: [
            busybox('mkdir -p /e/part; echo p > /e/part/f', {
              name: 'one',
              volumeMounts: [{ name: 'e', mountPath: '/e' }],
            }),
            busybox('sleep 1000', { name: 'side', restartPolicy: 'Always' }),
          ],
          containers: [
            busybox('trap "exit 0" TERM; sleep 1000 & wait', {
              env: [
                { name: 'FROM_CM', valueFrom: { configMapKeyRef: { name: 'cm', key: 'a' } } },
                { name: 'FROM_SECRET', valueFrom: { secretKeyRef: { name: 'sec', key: 'pw' } } },
                { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
                { name: 'EXPANDED', value: '$(FROM_CM)-$$(FROM_CM)-$(UNKNOWN)' },
                { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
              ],
              envFrom: [{ configMapRef: { name: 'cm' }, prefix: 'P_' }],
              resources: { limits: { cpu: '200m', memory: '64Mi' } },
              volumeMounts: [
                { name: 'e', mountPath: '/part', subPath: 'part' },
                { name: 'm', mountPath: '/m' },
                { name: 'c', mountPath: '/c' },
                { name: 's', mountPath: '/s', readOnly: true },
                { name: 'd', mountPath: '/d' },
                ...(imageVolumes ? [{ name: 'i', mountPath: '/i' }] : []),
              ],
            }),
          ],
          volumes: [
            { name: 'e', emptyDir: {} },
            { name: 'm', emptyDir: { medium: 'Memory', sizeLimit: '8Mi' } },
            { name: 'c', configMap: { name: 'cm' } },
            { name: 's', secret: { secretName: 'sec', defaultMode: 0o400 } },
            { name: 'd', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
            // containerd knows image volumes from 2.1 on.
            ...(imageVolumes ? [{ name: 'i', image: { reference: 'www', pullPolicy: 'IfNotPresent' } }] : []),
          ],
        },
        { labels: { app: 'x' } },
      );
      await untilReady('vols');
      const { status } = await pod('vols');
      expect(await exec('vols', 'echo $FROM_CM $FROM_SECRET $POD_IP $EXPANDED $CPU $P_a')).toBe(
        `1 hunter2 ${status?.podIP} 1-$(FROM_CM)-$(UNKNOWN) 200 1\n`,
      );
      expect(
        await exec(
          'vols',
          'cat /part/f /c/b.txt /s/pw /d/labels; echo; stat -c "%a %g" /s/..data/pw; df -m /m | tail -1 | tr -s " " | cut -d" " -f2; tail -1 /etc/hosts; cat /var/run/secrets/kubernetes.io/serviceaccount/namespace',
        ),
      ).toBe('p\ntwohunter2app="x"\n440 2000\n8\n1.2.3.4\tfoo\tbar\ndefault');
      expect(await exec('vols', 'stat -c %a /m')).toBe('3777\n');
      if (imageVolumes) expect(await exec('vols', 'cat /i/www/index.html')).toBe('ok\n');
      expect(
        status?.initContainerStatuses?.map(
          ({ name, ready, started, state }) => `${name} ${ready} ${started} ${Object.keys(state ?? {}).join()}`,
        ),
      ).toEqual(['one true false terminated', 'side true true running']);
      await c.ok(['patch', 'configmap', 'cm', '-p', '{"data":{"b.txt":"changed"}}']);
      await c.until('the file changes', async () => (await exec('vols', 'cat /c/b.txt')) === 'changed');
      await c.ok('label pod vols app=y --overwrite');
      await c.until('the labels change', async () => (await exec('vols', 'cat /d/labels')) === 'app="y"');
      await c.ok('delete pod vols');
    });

    it('is probed, restarted, killed for its memory, and backs off', async () => {
      // The answer of a probe may take long on a busy machine.
      const often = { periodSeconds: 1, timeoutSeconds: 30 };
      await make('probed', {
        containers: [
          busybox('mkdir /s; touch /s/live; sleep 1000', {
            startupProbe: { exec: { command: ['test', '-f', '/s/live'] }, failureThreshold: 60, ...often },
            readinessProbe: { exec: { command: ['test', '-f', '/s/ready'] }, ...often },
            livenessProbe: { exec: { command: ['test', '-f', '/s/live'] }, failureThreshold: 1, ...often },
          }),
        ],
      });
      await make('web', {
        containers: [
          {
            name: 'main',
            image: 'www',
            imagePullPolicy: 'IfNotPresent',
            startupProbe: { tcpSocket: { port: 8080 }, failureThreshold: 60, ...often },
            readinessProbe: { httpGet: { path: '/', port: 8080 }, ...often },
          },
        ],
      });
      await make('oom', {
        restartPolicy: 'Never',
        containers: [busybox('tail /dev/zero', { resources: { limits: { memory: '16Mi' } } })],
      });
      await make('crash', { containers: [busybox('echo bye > /dev/termination-log; exit 3')] });
      await c.until('it was killed', async () => (await pod('oom')).status?.phase === 'Failed');
      expect((await pod('oom')).status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
        reason: 'OOMKilled',
        exitCode: 137,
      });
      await c.until(
        'it backs off',
        async () => (await pod('crash')).status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CrashLoopBackOff',
      );
      expect((await pod('crash')).status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
        exitCode: 3,
        reason: 'Error',
        message: 'bye\n',
      });
      await untilReady('web');
      await c.until('it runs', async () => (await pod('probed')).status?.phase === 'Running');
      expect((await pod('probed')).status?.containerStatuses?.[0]?.ready).toBe(false);
      await exec('probed', 'touch /s/ready');
      await untilReady('probed');
      await exec('probed', 'rm /s/live');
      await c.until(
        'it is restarted',
        async () => (await pod('probed')).status?.containerStatuses?.[0]?.restartCount === 1,
      );
      expect(await events('probed')).toContain('Killing: Container main failed liveness probe, will be restarted');
      await c.ok('delete pod probed web oom crash --now');
    });

    it('has its resources changed while it runs, and can be debugged', async (test) => {
      const oldKubectl = requires('kubectl>=1.32');
      if (oldKubectl) return test.skip(oldKubectl);
      await make('live', {
        containers: [
          busybox('sleep 1000', {
            resources: { requests: { cpu: '100m', memory: '32Mi' }, limits: { cpu: '200m', memory: '64Mi' } },
          }),
        ],
      });
      await untilReady('live');
      const [before] = (await pod('live')).status?.containerStatuses ?? [];
      await c.ok([
        'patch',
        'pod',
        'live',
        '--subresource',
        'resize',
        '--patch',
        '{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"150m","memory":"48Mi"},"limits":{"cpu":"300m","memory":"96Mi"}}}]}}',
      ]);
      await c.until(
        'the limit is there',
        async () => (await pod('live')).status?.containerStatuses?.[0]?.resources?.limits?.['memory'] === '96Mi',
      );
      const [after] = (await pod('live')).status?.containerStatuses ?? [];
      expect(after?.containerID).toBe(before?.containerID);
      expect(after?.resources).toEqual({
        limits: { cpu: '300m', memory: '96Mi' },
        requests: { cpu: '150m', memory: '48Mi' },
      });
      expect(
        await exec(
          'live',
          'cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null; true',
        ),
      ).toBe(`${96 * 2 ** 20}\n`);
      await c.ok(
        'debug live --image=busybox --image-pull-policy=IfNotPresent --target=main -c dbg -- sh -c sleep 1000'.split(
          ' ',
        ),
      );
      await c.until(
        'the debug container runs',
        async () =>
          (await pod('live')).status?.ephemeralContainerStatuses?.[0]?.state?.running !== undefined ||
          (await pod('live')).status?.ephemeralContainerStatuses?.[0]?.state?.terminated !== undefined,
      );
      await c.ok('delete pod live --now');
    });

    it('survives a restart of kubelet and runtime untouched', async () => {
      await c.ok('create configmap settings --from-literal=mood=calm');
      const mounts = ['config', 'own', 'memory'].map((name) => ({ name, mountPath: `/${name}` }));
      const volumes = [
        { name: 'config', configMap: { name: 'settings' } },
        { name: 'own', emptyDir: {} },
        { name: 'memory', emptyDir: { medium: 'Memory' } },
      ];
      await make('stays', { containers: [busybox('sleep 1000', { volumeMounts: mounts })], volumes });
      await untilReady('stays');
      // What a program made of its own directories is not undone.
      await exec('stays', 'chmod 700 /own /memory; echo mine > /own/file; echo mine > /memory/file');
      const before = (await pod('stays')).status;
      await c.restartNode();
      await new Promise((resolve) => setTimeout(resolve, 2000));
      expect((await pod('stays')).status).toEqual(before);
      expect(await exec('stays', 'cat /config/mood; stat -c %a /own /memory; cat /own/file /memory/file')).toBe(
        'calm700\n700\nmine\nmine\n',
      );
      await c.ok(['patch', 'configmap', 'settings', '-p', '{"data":{"mood":"merry"}}']);
      await c.until(
        'its volumes are kept up to date',
        async () => (await exec('stays', 'cat /config/mood')) === 'merry',
      );
      await c.ok('delete pod stays --now');
      await c.until(
        'nothing is left',
        async () => ((await c.node.runtime.cri.runtime.listContainers({})).containers ?? []).length === 0,
      );
    });
  },
);
