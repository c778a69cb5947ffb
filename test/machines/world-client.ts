/** Calls API servers from outside the machines, and remembers what was acknowledged. */
import { readFileSync } from 'node:fs';
import https from 'node:https';
import tls from 'node:tls';
import { parse } from 'yaml';
import { connectIn } from '../../src/net/netns/index.ts';

interface Kubeconfig {
  clusters: [{ cluster: { 'certificate-authority-data': string } }];
  users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
}

export class WorldClient {
  readonly #netns: string;
  readonly #ca: string;
  readonly #credentials: { cert: string; key: string };

  constructor(netns: string, kubeconfig: string) {
    const config = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
    const decoded = (text: string): string => Buffer.from(text, 'base64').toString();
    const { user } = config.users[0];
    this.#netns = netns;
    this.#ca = decoded(config.clusters[0].cluster['certificate-authority-data']);
    this.#credentials = {
      cert: decoded(user['client-certificate-data']),
      key: decoded(user['client-key-data']),
    };
  }

  /** One request over a connection of its own; undefined when there was no answer in time. */
  call(
    host: string,
    method: string,
    path: string,
    { body, timeoutMs = 3000 }: { body?: object; timeoutMs?: number } = {},
  ): Promise<{ status: number; body: unknown } | undefined> {
    const signal = AbortSignal.timeout(timeoutMs);
    return new Promise((resolve) => {
      const fail = (): void => resolve(undefined);
      signal.addEventListener('abort', fail, { once: true });
      const raw = connectIn({ netns: this.#netns, host, port: 6443, signal });
      raw.on('error', fail);
      const socket = tls.connect({ socket: raw, ca: this.#ca, ...this.#credentials, servername: 'kubernetes' });
      socket.on('error', fail);
      const request = https.request(
        { method, path, createConnection: () => socket, headers: { 'content-type': 'application/json' }, signal },
        (response) => {
          let text = '';
          response.on('data', (bytes: Buffer) => (text += bytes.toString()));
          response.on('error', fail);
          response.on('end', () => {
            socket.destroy();
            resolve({ status: response.statusCode ?? 0, body: JSON.parse(text || 'null') as unknown });
          });
        },
      );
      request.on('error', fail);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

const MAPS = '/api/v1/namespaces/default/configmaps';

/** Creates one ConfigMap after the other, at any server that answers. */
export class Writer {
  readonly acknowledged: { readonly name: string; readonly at: number }[] = [];
  failures = 0;
  #stopped = false;
  #done: Promise<void> | undefined;
  readonly #client: WorldClient;
  readonly #hosts: () => readonly string[];
  readonly #pauseMs: number;

  constructor(client: WorldClient, hosts: () => readonly string[], pauseMs = 50) {
    this.#client = client;
    this.#hosts = hosts;
    this.#pauseMs = pauseMs;
  }

  start(): void {
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  /** Milliseconds from `from` to the first write that was begun and acknowledged after it; undefined: none yet. */
  firstAfter(from: number): number | undefined {
    const found = this.acknowledged.find(({ at }) => at > from);
    return found && found.at - from;
  }

  /** The longest time without an acknowledged write since `from`. */
  longestGap(from: number): number {
    const times = [from, ...this.acknowledged.map(({ at }) => at).filter((at) => at > from), performance.now()];
    return Math.max(...times.slice(1).map((at, index) => at - times[index]!));
  }

  async #run(): Promise<void> {
    for (let number = 0; !this.#stopped; number++) {
      const hosts = this.#hosts();
      const host = hosts[number % hosts.length]!;
      const name = `written-${number}`;
      const metadata = { name, labels: { written: 'true' } };
      const answer = await this.#client.call(host, 'POST', MAPS, {
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { number: String(number) } },
      });
      if (answer?.status === 201) this.acknowledged.push({ name, at: performance.now() });
      else this.failures++;
      await new Promise((resolve) => setTimeout(resolve, this.#pauseMs));
    }
  }

  /** The names of acknowledged writes that the server does not have. */
  async lost(host: string): Promise<string[]> {
    const expected = this.acknowledged.map(({ name }) => name);
    const answer = await this.#client.call(host, 'GET', `${MAPS}?labelSelector=written%3Dtrue`, { timeoutMs: 20_000 });
    const { items } = (answer ?? { body: { items: [] } }).body as { items: { metadata: { name: string } }[] };
    const found = new Set(items.map(({ metadata }) => metadata.name));
    return expected.filter((name) => !found.has(name));
  }
}
