/**
 * A control plane whose parts are upstream's or ours, each with the same flags, data and PKI, so that one can be exchanged for
 * the other. Nodes are simulated: they run no containers, and use the API only.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPki } from '../../src/apiserver/index.ts';
import { connect, loadKubeconfig, type Client } from '../../src/client/index.ts';
import { createContext, type Context } from '../../src/kernel/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { SimulatedNodes } from '../../src/simulated-kubelet/index.ts';
import { freePort } from '../free-port.ts';
import { builtProgram } from '../k8ts-process.ts';
import { findProgram } from '../requires.ts';

export type Side = 'upstream' | 'k8ts';
export type Component = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler';

/** What upstream's parts need to run. */
export const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd'] as const;

const TOKEN = 'token-of-the-admin';
const START_LIMIT_MS = 90_000;
/** As kubeadm gives the controller manager and the scheduler their users. */
const USERS = { 'kube-controller-manager': 'token-of-the-manager', 'kube-scheduler': 'token-of-the-scheduler' };

interface Running {
  readonly side: Side;
  readonly child: ChildProcess;
  readonly logFile: string;
}

export class ControlPlane {
  readonly directory = mkdtempSync(join(tmpdir(), 'k8ts-interchange-'));
  readonly ctx: Context;
  readonly #stopping = new AbortController();
  readonly #running = new Map<string, Running>();
  #port = 0;
  #etcdPort = 0;
  #client: Client | undefined;
  #nodes: Promise<void> | undefined;
  #logs = 0;

  private constructor() {
    this.ctx = createContext({ writeLog: () => {}, signal: this.#stopping.signal });
  }

  /** Starts the store and the API server; `flags` are for the API server of either side. */
  static async start(etcd: Side, apiServer: Side, flags: readonly string[] = []): Promise<ControlPlane> {
    const plane = new ControlPlane();
    plane.#port = await freePort();
    plane.#etcdPort = await freePort();
    const names = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
    await openPki(plane.ctx, plane.directory, { dnsNames: names, addresses: ['127.0.0.1', '10.96.0.1'] });
    const users = [
      `${TOKEN},admin,u1,"system:masters"`,
      `${USERS['kube-controller-manager']},system:kube-controller-manager,u2`,
      `${USERS['kube-scheduler']},system:kube-scheduler,u3`,
    ];
    plane.write('tokens.csv', users.map((line) => `${line}\n`).join(''));
    try {
      await plane.run('etcd', etcd);
      await plane.runApiServer(apiServer, flags);
      return plane;
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }

  file(name: string): string {
    return join(this.directory, name);
  }

  write(name: string, content: string): string {
    writeFileSync(this.file(name), content, { mode: 0o600 });
    return this.file(name);
  }

  get client(): Client {
    if (!this.#client) throw new Error('the API server has not been started');
    return this.#client;
  }

  get kubeconfig(): string {
    return this.file('admin.kubeconfig');
  }

  /** The API server's. */
  get port(): number {
    return this.#port;
  }

  get etcdUrl(): string {
    return `http://127.0.0.1:${this.#etcdPort}`;
  }

  /** What the running component has logged since its start. */
  log(component: Component): string {
    const running = this.#running.get(component);
    return running ? readFileSync(running.logFile, 'utf8') : '';
  }

  async runApiServer(side: Side, flags: readonly string[] = []): Promise<void> {
    await this.run('kube-apiserver', side, flags);
    this.#client ??= await this.clientAt(this.#port);
    await until(`${side} kube-apiserver is ready`, () => this.#isReady(), { limitMs: START_LIMIT_MS });
  }

  /** A second API server on the same store. */
  async runSecondApiServer(side: Side, flags: readonly string[] = []): Promise<Client> {
    const port = await freePort();
    await this.#spawn('second-kube-apiserver', 'kube-apiserver', side, [
      ...this.#apiServerFlags(port, '192.0.2.2'),
      ...flags,
    ]);
    const client = await this.clientAt(port);
    await until(`a second ${side} kube-apiserver is ready`, () => this.#isReady(client), { limitMs: START_LIMIT_MS });
    return client;
  }

  async run(component: Component, side: Side, flags: readonly string[] = []): Promise<void> {
    await this.#spawn(component, component, side, [...this.#flagsOf(component, side), ...flags]);
    if (component === 'etcd') {
      const isHealthy = (): Promise<boolean> =>
        fetch(`${this.etcdUrl}/health`, { signal: this.ctx.clock.deadline(1000) }).then(
          ({ ok }) => ok,
          () => false,
        );
      await until(`${side} etcd is healthy`, isHealthy, { limitMs: START_LIMIT_MS });
    }
  }

  async end(component: Component | 'second-kube-apiserver', signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const running = this.#running.get(component);
    if (!running) return;
    this.#running.delete(component);
    if (running.child.exitCode === null && running.child.signalCode === null) {
      running.child.kill(signal);
      await once(running.child, 'exit');
    }
  }

  /** Nodes that report pods as running; they survive the exchange of every other part. */
  async addNodes(count: number): Promise<void> {
    const { client } = this;
    const nodes = new SimulatedNodes(this.ctx, { reader: client, admin: client, kubeletClient: () => client });
    this.#nodes = nodes.run().catch(() => {});
    await nodes.add({ count });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#nodes;
    await this.#client?.close();
    for (const name of [...this.#running.keys()].reverse()) await this.end(name as Component, 'SIGKILL');
    rmSync(this.directory, { recursive: true, force: true });
  }

  async clientAt(port: number, token = TOKEN): Promise<Client> {
    const file = token === TOKEN && port === this.#port ? 'admin.kubeconfig' : `${port}-${token}.kubeconfig`;
    this.#writeKubeconfig(file, token, port);
    return connect(this.ctx, await loadKubeconfig({ clock: this.ctx.clock, file: this.file(file) }));
  }

  async #isReady(client = this.client): Promise<boolean> {
    try {
      let text = '';
      for await (const bytes of await client.stream({ method: 'GET', path: '/readyz' }))
        text += Buffer.from(bytes).toString();
      return text === 'ok';
    } catch {
      return false;
    }
  }

  async #spawn(name: string, component: Component, side: Side, flags: readonly string[]): Promise<void> {
    const logFile = this.file(`${name}-${side}-${this.#logs++}.log`);
    const program = side === 'upstream' ? findProgram(component) : undefined;
    if (side === 'upstream' && !program) throw new Error(`${component} is not installed`);
    const [command, args] = program
      ? [program, flags]
      : [process.execPath, [await builtProgram(), component, ...flags]];
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: this.directory });
    const log = createWriteStream(logFile);
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    const endWithUs = (): void => void child.kill('SIGKILL');
    process.once('exit', endWithUs);
    child.once('close', () => {
      log.end();
      process.off('exit', endWithUs);
    });
    this.#running.set(name, { side, child, logFile });
  }

  #flagsOf(component: Component, side: Side): string[] {
    switch (component) {
      case 'etcd':
        return [
          `--data-dir=${this.file(`${side}-etcd`)}`,
          `--listen-client-urls=${this.etcdUrl}`,
          `--advertise-client-urls=${this.etcdUrl}`,
          ...(side === 'upstream' ? ['--listen-peer-urls=http://127.0.0.1:0', '--log-level=error'] : []),
        ];
      case 'kube-apiserver':
        return this.#apiServerFlags(this.#port, '192.0.2.1');
      case 'kube-controller-manager':
        return this.#controllerManagerFlags();
      case 'kube-scheduler': {
        const kubeconfig = this.#writeKubeconfig('scheduler.kubeconfig', USERS['kube-scheduler'], this.#port);
        return [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0'];
      }
    }
  }

  #apiServerFlags(port: number, address: string): string[] {
    return [
      `--etcd-servers=${this.etcdUrl}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--advertise-address=${address}`,
      `--tls-cert-file=${this.file('apiserver.crt')}`,
      `--tls-private-key-file=${this.file('apiserver.key')}`,
      `--client-ca-file=${this.file('ca.crt')}`,
      `--service-account-key-file=${this.file('sa.pub')}`,
      `--service-account-signing-key-file=${this.file('sa.key')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--token-auth-file=${this.file('tokens.csv')}`,
      '--authorization-mode=Node,RBAC',
      '--service-cluster-ip-range=10.96.0.0/16',
      `--requestheader-client-ca-file=${this.file('front-proxy-ca.crt')}`,
      `--proxy-client-cert-file=${this.file('front-proxy-client.crt')}`,
      `--proxy-client-key-file=${this.file('front-proxy-client.key')}`,
      '--requestheader-allowed-names=front-proxy-client',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--allow-privileged',
      `--kubelet-client-certificate=${this.file('apiserver-kubelet-client.crt')}`,
      `--kubelet-client-key=${this.file('apiserver-kubelet-client.key')}`,
    ];
  }

  #controllerManagerFlags(): string[] {
    const kubeconfig = this.#writeKubeconfig(
      'controller-manager.kubeconfig',
      USERS['kube-controller-manager'],
      this.#port,
    );
    return [
      `--kubeconfig=${kubeconfig}`,
      `--service-account-private-key-file=${this.file('sa.key')}`,
      `--root-ca-file=${this.file('ca.crt')}`,
      `--cluster-signing-cert-file=${this.file('ca.crt')}`,
      `--cluster-signing-key-file=${this.file('ca.key')}`,
      '--use-service-account-credentials',
      '--allocate-node-cidrs',
      '--cluster-cidr=10.244.0.0/16',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--leader-elect=false',
      '--secure-port=0',
    ];
  }

  #writeKubeconfig(name: string, token: string, port: number): string {
    const server = `https://127.0.0.1:${port}`;
    return this.write(
      name,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'a',
        contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
        clusters: [{ name: 'a', cluster: { server, 'certificate-authority': this.file('ca.crt') } }],
        users: [{ name: 'a', user: { token } }],
      }),
    );
  }
}
