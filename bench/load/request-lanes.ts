/** Requests to one path, a number of them under way at any time, over a few connections. */
import { FrameClient, type Heard } from './frame-client.ts';
import type { RequestLoad, Target } from './load.ts';

export type RequestLanesOptions = Pick<
  RequestLoad,
  'target' | 'method' | 'path' | 'body' | 'connections' | 'concurrency'
>;

export const fail = (reason: string): never => {
  throw new Error(reason);
};
export const connect = (target: Target): FrameClient => new FrameClient(target, fail);

export const authorization = (target: Target): Record<string, string> =>
  target.token ? { authorization: `Bearer ${target.token}` } : {};

/** Resolves once the whole answer is here. */
export function call(
  client: FrameClient,
  headers: Record<string, string>,
  body?: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    let status = 0;
    let text = '';
    const heard: Heard = {
      onHead: (received) => (status = received),
      onData: (bytes) => {
        if (status >= 400) text += bytes.toString();
      },
      onEnd: () => resolve({ status, text }),
    };
    client.request(headers, heard, body === undefined ? undefined : Buffer.from(body));
  });
}

export class RequestLanes {
  errors = 0;
  firstError: string | undefined;
  readonly #work: RequestLanesOptions;
  readonly #clients: readonly FrameClient[];
  readonly #headers: Record<string, string>;
  #number = 0;

  constructor(work: RequestLanesOptions) {
    this.#work = work;
    this.#clients = Array.from({ length: work.connections }, () => connect(work.target));
    this.#headers = {
      ':method': work.method,
      ':path': work.path,
      accept: 'application/json',
      ...(work.body ? { 'content-type': 'application/json' } : {}),
      ...authorization(work.target),
    };
  }

  /** Each lane asks before a request, by how many have begun and how long it is since. Gives the latencies of all. */
  async runWhile(
    goesOn: (begun: number, elapsedMs: number) => boolean,
  ): Promise<{ latencies: number[]; elapsed: number }> {
    const start = performance.now();
    const latencies: number[] = [];
    let begun = 0;
    const lane = async (client: FrameClient): Promise<void> => {
      while (goesOn(begun, performance.now() - start)) {
        begun++;
        const began = performance.now();
        const body = this.#work.body?.replaceAll('{n}', String(this.#number++));
        const { status, text } = await call(client, this.#headers, body);
        if (status >= 300) {
          this.errors++;
          this.firstError ??= `${status} ${text.slice(0, 300)}`;
        }
        latencies.push(performance.now() - began);
      }
    };
    const clients = this.#clients;
    await Promise.all(Array.from({ length: this.#work.concurrency }, (_, i) => lane(clients[i % clients.length]!)));
    return { latencies, elapsed: performance.now() - start };
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}
