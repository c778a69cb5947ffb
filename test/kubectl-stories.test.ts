/** What people do with a cluster, with real kubectl, `k8ts up` and containers whose images come from a registry. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startK8ts, type K8tsProcess } from './k8ts-process.ts';
import { everything, requires } from './requires.ts';
import { busyboxImage, pushImage, webImage } from './test-images.ts';
import {
  REGISTRY_AUTHORIZATION,
  REGISTRY_PASSWORD,
  REGISTRY_USER,
  startRegistry,
  type TestRegistry,
} from './test-registry.ts';
import { createTestUser, whyNotRootless, type TestUser } from './test-user.ts';

const programs = requires('root', 'runc', 'conmon', 'nft', 'ip', 'kubectl', 'busybox', 'docker-registry', 'script');
const LIMIT = '--timeout=60s';

const USERS = [
  { who: 'root', missing: programs },
  { who: 'an ordinary user', missing: programs ?? (everything ? whyNotRootless() : 'runs with everything') },
];

describe.each(USERS)('kubectl on real containers, in a cluster that was started by $who', ({ who, missing }) => {
  if (missing !== undefined) {
    it.skip(missing, () => {});
    return;
  }
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-stories-'));
  let k8ts: K8tsProcess;
  let user: TestUser | undefined;
  let plain: TestRegistry;
  let guarded: TestRegistry;
  let app = '';
  let web = '';

  beforeAll(async () => {
    user = who === 'root' ? undefined : createTestUser();
    [k8ts, plain, guarded] = await Promise.all([
      startK8ts({
        dataDirectory: join(user?.home ?? directory, 'data'),
        flags: ['--nodes', '1'],
        ...(user ? { user } : {}),
      }),
      startRegistry(),
      startRegistry({ authentication: true }),
    ]);
    [app, web] = [`${plain.host}/app`, `${plain.host}/web`];
    const next = webImage('web', { layers: [[{ name: 'www/index.html', content: 'second\n' }]] });
    await pushImage(busyboxImage('app'), { registry: plain.url, repository: 'app', tag: 'v1' });
    await pushImage(webImage('web'), { registry: plain.url, repository: 'web', tag: 'v1' });
    await pushImage(next, { registry: plain.url, repository: 'web', tag: 'v2' });
    await pushImage(busyboxImage('app'), {
      registry: guarded.url,
      repository: 'app',
      tag: 'v1',
      authorization: REGISTRY_AUTHORIZATION,
    });
  });

  afterAll(async () => {
    await Promise.all([k8ts?.stop(), plain?.stop(), guarded?.stop()]);
    rmSync(directory, { recursive: true, force: true });
    user?.remove();
  });

  interface Outcome {
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }

  const environment = (): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    HOME: directory,
    TERM: 'xterm',
    KUBECONFIG: k8ts.kubeconfig,
  });

  /** kubectl in a namespace, which keeps the stories out of each other's way. */
  function inNamespace(namespace: string) {
    const run = (args: string | readonly string[], stdin = ''): Promise<Outcome> =>
      new Promise((resolve) => {
        const list = typeof args === 'string' ? args.split(' ') : [...args];
        const child = execFile(
          'kubectl',
          ['-n', namespace, ...list],
          { env: environment(), timeout: 100_000 },
          (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
        );
        child.stdin?.on('error', () => {});
        child.stdin?.end(stdin);
      });
    const ok = async (args: string | readonly string[], stdin = ''): Promise<string> => {
      const { code, stdout, stderr } = await run(args, stdin);
      if (code !== 0) throw new Error(`kubectl -n ${namespace} ${String(args)} ended with ${code}\n${stdout}${stderr}`);
      return stdout;
    };
    return {
      run,
      ok,
      apply: (...objects: readonly object[]) =>
        ok('apply -f -', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })),
      /** A pod that stays, with a shell. */
      pod: (name: string, spec: object = {}, container: object = {}): object => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, labels: { app: name } },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              name: 'main',
              image: `${app}:v1`,
              command: ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.2; done'],
              ...container,
            },
          ],
          ...spec,
        },
      }),
      sh: (pod: string, command: string) => ok(['exec', pod, '--', 'sh', '-c', command]),
      ready: (what: string) => ok(['wait', '--for=condition=Ready', what, LIMIT]),
      async until(what: string, condition: () => Promise<boolean>): Promise<void> {
        const end = Date.now() + 60_000;
        while (!(await condition())) {
          if (Date.now() > end) throw new Error(`after 60 s: ${what}\n${(await run('get pods,events')).stdout}`);
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
      },
    };
  }

  const story = async (name: string) => {
    const k = inNamespace(name);
    await k.ok(`create namespace ${name}`);
    return k;
  };

  /** On a terminal of its own: `script` is the terminal, what is typed goes through it. */
  function onTerminal(command: string, typed: readonly string[]): Promise<string> {
    return new Promise((resolve) => {
      const child = spawn('script', ['-qec', command, '/dev/null'], {
        env: environment(),
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      let output = '';
      const rest = [...typed];
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        // Each line is typed when the one before has brought the prompt back.
        if (/[#$] (?:\u001B\[6n)?$/.test(output) && rest.length > 0) child.stdin.write(`${rest.shift()!}\n`);
      });
      child.once('exit', () => resolve(output));
    });
  }

  /** The tests of the kubelet's parts do much of these stories too. */
  const long = it.runIf(everything).concurrent;

  long('pulls with a password, and without one where none is needed (long form)', async () => {
    const k = await story('pulls');
    const image = `${guarded.host}/app:v1`;
    await k.ok(['run', 'locked', `--image=${image}`, '--', 'sleep', '1000']);
    await k.until('it is refused', async () => /ErrImagePull|ImagePullBackOff/.test(await k.ok('get pods')));
    expect(await k.ok('get events --field-selector involvedObject.name=locked')).toMatch(
      /Failed to pull image .*(?:unauthorized|authentication required)/i,
    );
    await k.ok([
      'create',
      'secret',
      'docker-registry',
      'key',
      `--docker-server=${guarded.host}`,
      `--docker-username=${REGISTRY_USER}`,
      `--docker-password=${REGISTRY_PASSWORD}`,
    ]);
    await k.ok(['patch', 'serviceaccount', 'default', '-p', '{"imagePullSecrets":[{"name":"key"}]}']);
    await k.ok(['run', 'let-in', `--image=${image}`, '--', 'sleep', '1000']);
    await k.ready('pod/let-in');
    expect(await k.ok('get events --field-selector involvedObject.name=let-in')).toContain('Successfully pulled image');
  });

  it.concurrent('runs, follows logs, attaches, copies and types on a terminal', async () => {
    const k = await story('shells');
    await k.apply(
      k.pod(
        'talker',
        { restartPolicy: 'Never' },
        {
          stdin: true,
          stdinOnce: true,
          command: ['sh', '-c', 'echo begin; while read line; do echo "said $line"; done; echo end'],
        },
      ),
      k.pod('shell'),
    );
    await k.ok(`wait --for=condition=Ready pod/talker pod/shell ${LIMIT}`);
    const followed = k.run('logs -f talker');
    const attached = await k.run('attach -i talker', 'one\ntwo\n');
    expect(attached.stdout).toContain('said one\nsaid two\nend\n');
    expect((await followed).stdout).toBe('begin\nsaid one\nsaid two\nend\n');
    const typed = await onTerminal('stty rows 33 cols 91; kubectl -n shells exec -it shell -- sh', [
      'tty; stty size > /tmp/size; echo kept > /tmp/typed',
      'exit 3',
    ]);
    expect(typed).toMatch(/\/dev\/pts\/\d+/);
    expect(await k.sh('shell', 'cat /tmp/typed /tmp/size')).toBe('kept\n33 91\n');
    const file = join(directory, 'copied');
    writeFileSync(file, 'from here\n');
    await k.ok(['cp', file, 'shell:/tmp/there']);
    await k.ok(['cp', 'shell:/tmp/there', `${file}.back`]);
    expect(readFileSync(`${file}.back`, 'utf8')).toBe('from here\n');
    expect((await k.run('exec shell -- sh -c nothing-of-that-name')).code).toBe(127);
  });

  it.concurrent('rolls out, back, and again', async () => {
    const k = await story('rollouts');
    const labels = { app: 'web' };
    // Without grace, so that nobody asks one that is on its way out.
    const template = {
      metadata: { labels },
      spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'web', image: `${web}:v1` }] },
    };
    await k.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    });
    await k.ok(`rollout status deployment/web ${LIMIT}`);
    const page = (): Promise<string> =>
      k.ok(['exec', 'deployment/web', '--', 'wget', '-qO-', 'http://127.0.0.1:8080/']);
    expect(await page()).toBe('ok\n');
    await k.ok(['set', 'image', 'deployment/web', `web=${web}:v2`]);
    expect(await k.ok(`rollout status deployment/web ${LIMIT}`)).toContain('successfully rolled out');
    expect(await page()).toBe('second\n');
    await k.ok('rollout undo deployment/web');
    await k.ok(`rollout status deployment/web ${LIMIT}`);
    expect(await page()).toBe('ok\n');
    const before = await k.ok('get pods -o name');
    await k.ok('rollout restart deployment/web');
    await k.ok(`rollout status deployment/web ${LIMIT}`);
    await k.until('all are new', async () =>
      (await k.ok('get pods -o name'))
        .trim()
        .split('\n')
        .every((name) => !before.includes(name)),
    );
    expect((await k.ok('rollout history deployment/web')).trim().split('\n').slice(2)).toHaveLength(3);
  });

  it.concurrent("keeps the data of a StatefulSet's pods", async () => {
    const k = await story('states');
    const labels = { app: 'db' };
    await k.apply(
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'db' },
        spec: { clusterIP: 'None', selector: labels, ports: [{ port: 80 }] },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 'db' },
        spec: {
          serviceName: 'db',
          replicas: 2,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: {
              terminationGracePeriodSeconds: 0,
              containers: [
                {
                  name: 'main',
                  image: `${app}:v1`,
                  command: ['sh', '-c', 'echo "$HOSTNAME" >> /data/log; sleep 1000'],
                  volumeMounts: [{ name: 'data', mountPath: '/data' }],
                },
              ],
            },
          },
          volumeClaimTemplates: [
            {
              metadata: { name: 'data' },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
            },
          ],
        },
      },
    );
    await k.ok(`rollout status statefulset/db ${LIMIT}`);
    const uid = await k.ok('get pod db-1 -o jsonpath={.metadata.uid}');
    await k.ok('delete pod db-1');
    await k.until(
      'another db-1 is there',
      async () => ![uid, ''].includes((await k.run('get pod db-1 -o jsonpath={.metadata.uid}')).stdout),
    );
    await k.ready('pod/db-1');
    expect(await k.sh('db-1', 'cat /data/log')).toBe('db-1\ndb-1\n');
    expect(await k.sh('db-0', 'cat /data/log')).toBe('db-0\n');
    expect((await k.ok('get pvc -o jsonpath={.items[*].status.phase}')).trim()).toBe('Bound Bound');
  });

  it.concurrent('ends a Job, spreads a DaemonSet, debugs a pod', async (test) => {
    const oldKubectl = requires('kubectl>=1.27');
    if (oldKubectl) return test.skip(oldKubectl);
    const k = await story('workloads');
    await k.apply(
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'sum' },
        spec: {
          completions: 2,
          parallelism: 2,
          template: {
            spec: {
              restartPolicy: 'Never',
              containers: [{ name: 'main', image: `${app}:v1`, command: ['sh', '-c', 'echo $((40 + 2))'] }],
            },
          },
        },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'agent' },
        spec: {
          selector: { matchLabels: { app: 'agent' } },
          template: {
            metadata: { labels: { app: 'agent' } },
            spec: { containers: [{ name: 'main', image: `${app}:v1`, command: ['sleep', '1000'] }] },
          },
        },
      },
      k.pod('patient', {}, { command: ['sh', '-c', 'echo here > /marker; sleep 1000'] }),
    );
    await k.ok(`wait --for=condition=Complete job/sum ${LIMIT}`);
    expect(await k.ok('logs job/sum')).toBe('42\n');
    expect(await k.ok('get job sum -o jsonpath={.status.succeeded}')).toBe('2');
    await k.ok(`rollout status daemonset/agent ${LIMIT}`);
    await k.ready('pod/patient');
    await k.ok([
      'debug',
      'patient',
      `--image=${app}:v1`,
      '--target=main',
      '--profile=general',
      '-c',
      'doctor',
      '--',
      'sh',
      '-c',
      'cat /proc/1/root/marker; ps | grep -c "sleep 1000"',
    ]);
    await k.until(
      'the doctor is done',
      async () =>
        (await k.ok([
          'get',
          'pod',
          'patient',
          '-o',
          'jsonpath={.status.ephemeralContainerStatuses[0].state.terminated.reason}',
        ])) !== '',
    );
    expect(await k.ok('logs patient -c doctor')).toMatch(/^here\n[1-9]\n$/);
  });

  long('has volumes of every other kind (long form)', async () => {
    const k = await story('volumes');
    await k.ok('create configmap words --from-literal=a=alpha');
    await k.ok('create secret generic keys --from-literal=b=beta');
    await k.apply(
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'claim' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
      },
      k.pod(
        'all',
        {
          volumes: [
            {
              name: 'projected',
              projected: {
                sources: [
                  { configMap: { name: 'words' } },
                  { secret: { name: 'keys' } },
                  { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
                  { serviceAccountToken: { path: 'token', audience: 'somebody' } },
                ],
              },
            },
            { name: 'host', hostPath: { path: join(user?.home ?? directory, 'host'), type: 'DirectoryOrCreate' } },
            { name: 'claimed', persistentVolumeClaim: { claimName: 'claim' } },
            {
              name: 'own',
              ephemeral: {
                volumeClaimTemplate: {
                  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
                },
              },
            },
            { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
            { name: 'picture', image: { reference: `${web}:v2`, pullPolicy: 'IfNotPresent' } },
          ],
        },
        {
          env: [{ name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
          volumeMounts: [
            { name: 'projected', mountPath: '/projected' },
            { name: 'host', mountPath: '/host' },
            { name: 'host', mountPath: '/mine', subPathExpr: 'of-$(POD)' },
            { name: 'claimed', mountPath: '/claimed' },
            { name: 'own', mountPath: '/own' },
            { name: 'memory', mountPath: '/memory' },
            { name: 'picture', mountPath: '/picture', readOnly: true },
          ],
        },
      ),
    );
    await k.ready('pod/all');
    expect(
      await k.sh('all', 'cd /projected && cat a b name && cut -d. -f1 token | base64 -d 2>/dev/null | cut -c1-8'),
    ).toMatch(/^alphabetaall\{"alg":/);
    await k.sh('all', 'echo 1 > /host/f; echo 2 > /mine/f; echo 3 > /claimed/f; echo 4 > /own/f; echo 5 > /memory/f');
    expect([
      readFileSync(join(user?.home ?? directory, 'host', 'f'), 'utf8'),
      readFileSync(join(user?.home ?? directory, 'host', 'of-all', 'f'), 'utf8'),
    ]).toEqual(['1\n', '2\n']);
    expect(
      await k.sh(
        'all',
        'cat /picture/www/index.html; touch /picture/x 2>/dev/null || echo read-only; head -c 2000000 /dev/zero > /memory/big 2>/dev/null || echo full',
      ),
    ).toBe('second\nread-only\nfull\n');
    expect((await k.ok('get pvc -o jsonpath={.items[*].metadata.name}')).split(' ').toSorted()).toEqual([
      'all-own',
      'claim',
    ]);
    await k.ok('delete pod all');
    await k.until(
      'the claim of the pod goes with it',
      async () => (await k.ok('get pvc -o jsonpath={.items[*].metadata.name}')) === 'claim',
    );
  });

  long('says why a pod does not work, and sees it recover (long form)', async () => {
    const k = await story('troubles');
    const probe = { exec: { command: ['test', '-f', '/tmp/ok'] }, periodSeconds: 1, failureThreshold: 1 };
    await k.apply(
      k.pod('flaky', {}, { readinessProbe: probe }),
      k.pod('crash', { restartPolicy: 'Always' }, { command: ['sh', '-c', 'echo no > /dev/termination-log; exit 3'] }),
      // Where limits are not enforced, it would take all memory of the machine.
      ...(user
        ? []
        : [
            k.pod(
              'hungry',
              { restartPolicy: 'Never' },
              { command: ['tail', '/dev/zero'], resources: { limits: { memory: '16Mi' } } },
            ),
          ]),
      k.pod('waits', {
        initContainers: [{ name: 'gate', image: `${app}:v1`, command: ['sh', '-c', 'exit 1'] }],
        restartPolicy: 'Never',
      }),
    );
    if (!user)
      await k.ok([
        'wait',
        '--for=jsonpath={.status.containerStatuses[0].state.terminated.reason}=OOMKilled',
        'pod/hungry',
        LIMIT,
      ]);
    await k.ok(['wait', '--for=jsonpath={.status.phase}=Failed', 'pod/waits', LIMIT]);
    await k.until('it backs off', async () => (await k.ok('get pods')).includes('CrashLoopBackOff'));
    expect(await k.ok('describe pod crash')).toMatch(
      /Last State:\s+Terminated\s+Reason:\s+Error\s+Message:\s+no\s+Exit Code:\s+3/,
    );
    expect(await k.ok('describe pod flaky')).toMatch(/Readiness probe failed/);
    await k.sh('flaky', 'touch /tmp/ok');
    await k.ready('pod/flaky');
    await k.sh('flaky', 'rm /tmp/ok');
    await k.ok(`wait --for=condition=Ready=false pod/flaky ${LIMIT}`);
  });

  long('forwards a port and shows what pods use (long form)', async () => {
    const k = await story('ports');
    await k.ok(['create', 'deployment', 'web', `--image=${web}:v1`, '--port=8080']);
    await k.ok('expose deployment web --port=80 --target-port=8080');
    await k.ok(`rollout status deployment/web ${LIMIT}`);
    const forward = spawn('kubectl', ['-n', 'ports', 'port-forward', 'service/web', ':80'], {
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const port = await new Promise<string>((resolve, reject) => {
        forward.stdout.setEncoding('utf8').on('data', (text: string) => {
          const found = /127\.0\.0\.1:(\d+)/.exec(text)?.[1];
          if (found !== undefined) resolve(found);
        });
        forward.once('exit', () => reject(new Error('kubectl port-forward ended')));
      });
      expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('ok\n');
    } finally {
      forward.kill();
    }
    await k.until('the node was asked', async () => (await k.run('top node')).code === 0);
    expect(await k.ok('top node')).toMatch(/node-1\s+\d+m\s+\d+%\s+\d+Mi\s+\d+%/);
    // The next reading of the node has the pod; the one after it has what it used in between.
    if (everything) {
      await k.until('the pod was seen twice', async () => (await k.run('top pod')).stdout.includes('web-'));
      expect(await k.ok('top pod')).toMatch(/web-\S+\s+\d+m\s+\d+Mi/);
    }
  });
});
