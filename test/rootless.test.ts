/** `k8ts up` of an ordinary user: containers in a user namespace, ports on loopback, and nothing left behind. */
import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../src/kernel/testing/index.ts';
import { builtProgram } from './k8ts-process.ts';
import { everything, findProgram, requires } from './requires.ts';
import { createTestUser, whyNotRootless, type TestUser } from './test-user.ts';

const missing = requires('kubectl') ?? whyNotRootless();
const egressMissing = missing ?? requires('nsenter');

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Run {
  readonly user?: TestUser;
  readonly environment?: NodeJS.ProcessEnv;
  readonly input?: string;
}

function run(words: readonly string[], { user, environment, input = '' }: Run = {}): Promise<Outcome> {
  const [command = '', ...args] = words;
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      {
        env: { ...(user?.environment ?? process.env), ...environment },
        timeout: 100_000,
        ...(user ? { uid: user.uid, gid: user.gid, cwd: user.home } : {}),
      },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

async function ok(words: readonly string[], options: Run = {}): Promise<string> {
  const { code, stdout, stderr } = await run(words, options);
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}\n${stdout}${stderr}`);
  return stdout;
}

const DOCKERFILE = `FROM scratch
COPY bin /bin
RUN ["/bin/busybox", "--install", "-s", "/bin"]
RUN mkdir /www && echo old > /www/old && echo hello > /www/index.html
RUN rm -r /www/old /bin/tac && chown 1000:1000 /www
CMD ["httpd", "-f", "-p", "8080", "-h", "/www"]
`;

/** The body of the answer, or the code of the error. */
const get = (url: string, host = 'localhost'): Promise<string> =>
  new Promise((resolve) => {
    const request = http.get(url, { headers: { host }, agent: false, timeout: 5000 }, (response) => {
      text(response).then(resolve, (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    });
    request.once('timeout', () => request.destroy(new Error('timeout')));
    request.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });

/** A folder of the user with a Dockerfile. */
function writeContext(user: TestUser): string {
  const folder = join(user.home, 'context');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  cpSync(findProgram('busybox')!, join(folder, 'bin', 'busybox'));
  writeFileSync(join(folder, 'Dockerfile'), DOCKERFILE);
  return folder;
}

const IMAGE = 'localhost/web:1';
const container = (more: object): object => ({ image: IMAGE, imagePullPolicy: 'Never', ...more });
const labelled = (app: string, spec: object): object => ({
  selector: { matchLabels: { app } },
  template: { metadata: { labels: { app } }, spec: { terminationGracePeriodSeconds: 1, ...spec } },
});

const OBJECTS = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 3,
      ...labelled('web', {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { app: 'web' } },
          },
        ],
        containers: [
          container({ name: 'web', resources: { requests: { cpu: '10m' }, limits: { memory: '64Mi', cpu: '1' } } }),
        ],
      }),
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'web' },
    spec: {
      rules: [
        {
          host: 'web.example',
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }],
          },
        },
      ],
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db' },
    spec: {
      serviceName: 'db',
      replicas: 1,
      ...labelled('db', {
        containers: [
          container({
            name: 'db',
            command: [
              'sh',
              '-c',
              'echo started >> /data/log; cat /data/log; trap "exit 0" TERM; while :; do sleep 0.2; done',
            ],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          }),
        ],
      }),
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
        },
      ],
    },
  },
];

describe.skipIf(missing !== undefined)(
  `a cluster of an ordinary user${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let user: TestUser;
    let directory = '';
    let program = '';

    beforeAll(async () => {
      program = await builtProgram();
      user = createTestUser();
      directory = join(user.home, 'cluster');
    });
    afterAll(async () => {
      if (existsSync(join(directory, 'k8ts.pid'))) await k8ts(['down', '--data-dir', directory]);
      user?.remove();
    });

    const k8ts = (args: readonly string[], more: Run = {}): Promise<Outcome> =>
      run([process.execPath, program, ...args], { user, ...more });
    const k8tsOk = (args: readonly string[], more: Run = {}): Promise<string> =>
      ok([process.execPath, program, ...args], { user, ...more });
    const here = (): string[] => ['--data-dir', directory];
    const kubectl = (args: string, input = ''): Promise<string> =>
      ok(['kubectl', ...args.split(' ')], {
        user,
        input,
        environment: { KUBECONFIG: join(directory, 'kubeconfig') },
      });
    const pidOf = (folder: string): number =>
      (JSON.parse(readFileSync(join(folder, 'k8ts.pid'), 'utf8')) as { pid: number }).pid;
    const untilNothingRuns = (): Promise<void> =>
      until('no process of the user is left', () => user.processes().length === 0);

    it('is what the doctor finds possible', async () => {
      const { code, stdout } = await k8ts(['doctor', '-o', 'json']);
      const checks = JSON.parse(stdout) as { name: string; ok: boolean; optional?: true }[];
      expect(checks.filter((check) => !check.ok && !check.optional)).toEqual([]);
      expect(checks.map(({ name }) => name)).toContain('subordinate ids');
      expect(code).toBe(0);
    });

    it('starts with three nodes, and says once that limits are not enforced', async () => {
      const output = await k8tsOk(['up', ...here(), '--nodes', '3', '--port', '0', '--detach']);
      expect(output).toContain('ready in');
      const { host = '' } = new URL(/^console +(\S+)/m.exec(output)?.[1] ?? '');
      expect(await get(`http://${host}/why`, host)).toContain('Only the pages of the console get an answer');
      const checks = JSON.parse((await k8ts(['doctor', '-o', 'json'])).stdout) as { name: string; ok: boolean }[];
      const isDelegated = checks.find(({ name }) => name === 'cgroup delegation')!.ok;
      expect(output.match(/Limits of containers are not enforced/g) ?? []).toHaveLength(isDelegated ? 0 : 1);
      const status = JSON.parse(await k8tsOk(['status', ...here(), '-o', 'json'])) as {
        pid: number;
        nodes: { kind: string; ready: boolean }[];
      };
      expect(status.pid).toBe(pidOf(directory));
      expect(status.nodes).toMatchObject(Array.from({ length: 3 }, () => ({ kind: 'real', ready: true })));
    });

    it('builds an image, whose files belong to users that only containers have', async () => {
      await k8tsOk(['image', 'build', '-t', IMAGE, ...here(), writeContext(user)]);
      expect(await k8tsOk(['image', 'list', ...here()])).toContain(IMAGE);
    });

    it('runs a Deployment on all nodes, a Service, an Ingress and a StatefulSet with a claim', async () => {
      await kubectl('apply -f -', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: OBJECTS }));
      await kubectl('rollout status deployment/web --timeout=90s');
      await kubectl('rollout status statefulset/db --timeout=90s');
      const nodes = (await kubectl('get pods -l app=web -o jsonpath={.items[*].spec.nodeName}')).split(' ');
      expect(new Set(nodes).size).toBe(3);
    });

    const nodePort = async (): Promise<string> => kubectl('get service web -o jsonpath={.spec.ports[0].nodePort}');
    const ingressPort = async (): Promise<number> => {
      const { ingress } = JSON.parse(await k8tsOk(['status', ...here(), '-o', 'json'])) as {
        ingress: { httpPort: number };
      };
      return ingress.httpPort;
    };
    const servesEverywhere = async (): Promise<void> => {
      const port = await nodePort();
      await expect.poll(() => get(`http://127.0.0.1:${port}/`)).toBe('hello\n');
      const ingress = await ingressPort();
      await expect.poll(() => get(`http://127.0.0.1:${ingress}/`, 'web.example')).toBe('hello\n');
    };

    it("serves NodePorts and Ingresses on the user's loopback, and closes them with their Service", async () => {
      await servesEverywhere();
      const service = { ...OBJECTS[1]!, metadata: { name: 'other' } };
      await kubectl('apply -f -', JSON.stringify(service));
      const port = await kubectl('get service other -o jsonpath={.spec.ports[0].nodePort}');
      await expect.poll(() => get(`http://127.0.0.1:${port}/`)).toBe('hello\n');
      await kubectl('delete service other');
      await expect.poll(() => get(`http://127.0.0.1:${port}/`)).toBe('ECONNREFUSED');
    });

    it('executes, logs, resolves names and forwards ports', async () => {
      expect(await kubectl('exec db-0 -- cat /data/log')).toBe('started\n');
      expect(await kubectl('exec db-0 -- wget -qO- http://web.default.svc.cluster.local')).toBe('hello\n');
      expect(await kubectl('exec db-0 -- ls /bin/tac /www/old').catch((error: Error) => error.message)).toContain(
        'No such file',
      );
      expect(await kubectl('exec db-0 -- stat -c %u:%g /www')).toBe('1000:1000\n');
      expect(await kubectl('logs db-0')).toBe('started\n');
      const forwarding = spawn('kubectl', ['port-forward', 'deployment/web', ':8080'], {
        env: { ...user.environment, KUBECONFIG: join(directory, 'kubeconfig') },
        uid: user.uid,
        gid: user.gid,
      });
      try {
        const line = await new Promise<string>((resolve) =>
          forwarding.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text)),
        );
        const port = /127\.0\.0\.1:(\d+)/.exec(line)?.[1];
        expect(await get(`http://127.0.0.1:${port}/`)).toBe('hello\n');
      } finally {
        forwarding.kill('SIGKILL');
      }
    });

    it('leaves no process when it is killed, and comes back with its pods and their data', async () => {
      process.kill(pidOf(directory), 'SIGKILL');
      await untilNothingRuns();
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(directory);
      await k8tsOk(['up', ...here(), '--port', '0', '--detach']);
      await kubectl('rollout status deployment/web --timeout=90s');
      await kubectl('wait --for=condition=Ready pod --all --timeout=90s');
      await servesEverywhere();
      expect(await kubectl('exec db-0 -- cat /data/log')).toBe('started\nstarted\n');
    });

    it('leaves nothing when it is stopped and deleted, and is not for root in between', async () => {
      await k8tsOk(['down', ...here()]);
      await untilNothingRuns();
      const asRoot = await run([process.execPath, program, 'up', ...here(), '--port', '0']);
      expect(asRoot).toMatchObject({ code: 1, stderr: expect.stringContaining(`belong to the user ${user.uid}`) });
      await k8tsOk(['delete', ...here()]);
      expect(existsSync(directory)).toBe(false);
    });

    it.runIf(everything)(
      'removes the files of subordinate ids that a killed cluster in memory has left (long form)',
      async () => {
        const temporary = join(user.home, 'tmp');
        await ok(['mkdir', temporary], { user });
        const environment = { TMPDIR: temporary };
        const up = async (): Promise<string> => {
          const printed = await k8tsOk(['up', '--ephemeral', '--port', '0', '--nodes', '1', '--detach', '-o', 'json'], {
            environment,
          });
          return (JSON.parse(printed) as { kubeconfig: string }).kubeconfig.replace(/\/kubeconfig$/, '');
        };
        const first = await up();
        await k8tsOk(['image', 'build', '-t', IMAGE, '--data-dir', first, join(user.home, 'context')], { environment });
        process.kill(pidOf(first), 'SIGKILL');
        await untilNothingRuns();
        expect(existsSync(first)).toBe(true);
        const second = await up();
        expect(existsSync(first)).toBe(false);
        await k8tsOk(['down', '--data-dir', second], { environment });
        await untilNothingRuns();
        expect(readdirSync(temporary)).toEqual([]);
      },
    );

    it('ends with Ctrl-C, and says when its port is taken', async () => {
      const up = (port: string): string[] => ['up', ...here(), '--nodes', '1', '--port', port];
      const child = spawn(process.execPath, [program, ...up('0')], {
        env: user.environment,
        uid: user.uid,
        gid: user.gid,
        cwd: user.home,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      await until('it is ready', () => output.includes('ready in'));
      const port = /https:\/\/127\.0\.0\.1:(\d+)/.exec(output)![1]!;
      const { code, stderr } = await k8ts(['up', '--data-dir', `${directory}-2`, '--nodes', '1', '--port', port]);
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(`port ${port} on 127.0.0.1`) });
      const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      expect(await exited).toBe(0);
      expect(output).toContain('stopped');
      await untilNothingRuns();
    });
  },
);

/** A machine with one way out, in network namespaces of their own; /dev/net/tun as distributions have it. */
const WORLD = `
set -e
name=$1; program=$2; shift 2
ip netns add $name-out; ip netns add $name-in
trap 'kill $server; ip netns del $name-out; ip netns del $name-in' EXIT
ip link add in netns $name-in type veth peer name out netns $name-out
ip -n $name-out addr add 203.0.113.1/24 dev out; ip -n $name-out link set out up
ip -n $name-in addr add 203.0.113.2/24 dev in; ip -n $name-in link set in up; ip -n $name-in link set lo up
ip -n $name-in route add default via 203.0.113.1
nsenter --net=/run/netns/$name-out busybox httpd -f -p 8000 -h "$WWW" & server=$!
nsenter --net=/run/netns/$name-in unshare --mount sh -ec '
  mount -t tmpfs tmpfs /dev/net; mknod -m 666 /dev/net/tun c 10 200
  program=$1; shift
  for other in pasta slirp4netns; do
    if [ $other != $program ] && file=$(command -v $other); then mount --bind /dev/null $file; fi
  done
  exec "$@"' sh $program "$@"
`;

const STORY = `
set -e
"$@" up --egress --nodes 1 --data-dir "$HOME/out" --port 0 --detach
trap '"$NODE" "$PROGRAM" down --data-dir "$HOME/out"; "$NODE" "$PROGRAM" delete --data-dir "$HOME/out"' EXIT
"$@" image build -t ${IMAGE} --data-dir "$HOME/out" "$HOME/context" 2>/dev/null
export KUBECONFIG="$HOME/out/kubeconfig"
kubectl run p --image ${IMAGE} --image-pull-policy Never --command -- sleep 1000
kubectl wait --for=condition=Ready pod/p --timeout=60s
kubectl exec p -- timeout 20 wget -qO- http://203.0.113.1:8000/
`;

describe.each([{ program: 'pasta' }, { program: 'slirp4netns' }])(
  'containers of an ordinary user reach addresses outside by $program, where that is asked for',
  ({ program }) => {
    const lacking = egressMissing ?? requires(program) ?? (everything ? undefined : 'is tried by npm run verify');
    it.skipIf(lacking !== undefined)(lacking ?? 'with --egress', async () => {
      const user = createTestUser();
      try {
        writeContext(user);
        const www = join(user.home, 'www');
        mkdirSync(www);
        writeFileSync(join(www, 'index.html'), 'outside\n');
        const bundle = await builtProgram();
        const asUser = ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
        const command = [...asUser, 'sh', '-c', STORY, 'sh', process.execPath, bundle];
        const output = await ok(['sh', '-c', WORLD, 'sh', user.name, program, ...command], {
          environment: {
            ...user.environment,
            PATH: process.env['PATH'],
            WWW: www,
            NODE: process.execPath,
            PROGRAM: bundle,
          },
        });
        expect(output).toContain('\noutside\n');
        await until('no process of the user is left', () => user.processes().length === 0);
      } finally {
        user.remove();
      }
    });
  },
);
