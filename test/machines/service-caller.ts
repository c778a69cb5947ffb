/** Calls a Service from the machines at a steady rate, and remembers who answered and what failed. */
import http from 'node:http';
import { connectIn } from '../../src/net/netns/index.ts';

export interface Call {
  /** Milliseconds of the monotonic clock, when it was begun. */
  readonly at: number;
  /** The namespace it came from. */
  readonly from: string;
  /** The pod that answered; undefined: none did. */
  readonly pod: string | undefined;
  /** Why not: the code of the error, or `timeout`. */
  readonly failure?: string;
}

/** Longer than a busy machine takes to answer; a SYN that is lost is sent again after 1, 3 and 7 s. */
export const TIMEOUT_MS = 10_000;

export interface ServiceCallerOptions {
  readonly host: string;
  readonly port: number;
  /** The namespaces that call, one after the other. */
  readonly callers: () => readonly string[];
  readonly callsPerSecond: number;
}

/** Path `/name`: each pod serves its own. */
const ask = (netns: string, { host, port }: ServiceCallerOptions): Promise<Pick<Call, 'pod' | 'failure'>> =>
  new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      resolve({ pod: undefined, failure: signal.aborted ? 'timeout' : (error.code ?? error.message) });
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    signal.addEventListener('abort', () => resolve({ pod: undefined, failure: 'timeout' }), { once: true });
    const socket = connectIn({ netns, host, port, signal });
    socket.on('error', fail);
    const request = http.get({ path: '/name', createConnection: () => socket, signal }, (response) => {
      let text = '';
      response.on('data', (bytes: Buffer) => (text += bytes.toString()));
      response.on('error', fail);
      response.on('end', () =>
        resolve(
          response.statusCode === 200
            ? { pod: text.trim() }
            : { pod: undefined, failure: `HTTP ${response.statusCode}` },
        ),
      );
    });
    request.on('error', fail);
  });

export class ServiceCaller {
  readonly calls: Call[] = [];
  readonly #options: ServiceCallerOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ServiceCallerOptions) {
    this.#options = options;
  }

  start(): void {
    const { callsPerSecond } = this.#options;
    const from = performance.now();
    let begun = 0;
    this.#timer = setInterval(() => {
      // As many as are due: a turn of this process that took long does not lower the rate.
      const due = Math.floor(((performance.now() - from) / 1000) * callsPerSecond);
      for (; begun < due; begun++) {
        const callers = this.#options.callers();
        const netns = callers[begun % callers.length];
        if (netns !== undefined) void this.#call(netns);
      }
    }, 20);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #call(from: string): Promise<void> {
    const at = performance.now();
    this.calls.push({ at, from, ...(await ask(from, this.#options)) });
  }

  /** The calls that were begun in a time span. */
  between(from: number, to: number): Call[] {
    return this.calls.filter(({ at }) => at >= from && at < to);
  }
}
