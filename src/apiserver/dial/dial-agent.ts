/**
 * An http.Agent that keeps connections to permitted targets alive. Targets of one agent with the same address must have
 * the same TLS options.
 */
import http from 'node:http';
import type { Duplex } from 'node:stream';
import type { Dialer } from './dialer.ts';
import type { PermittedTarget } from './target.ts';

const IDLE_MS = 90_000;
const MAX_IDLE = 25;

type Options = http.ClientRequestArgs & { readonly target?: PermittedTarget };

export class DialAgent extends http.Agent {
  readonly #dialer: Dialer;

  constructor(dialer: Dialer) {
    super({ keepAlive: true, maxFreeSockets: MAX_IDLE, timeout: IDLE_MS });
    this.#dialer = dialer;
  }

  override createConnection(options: Options, onConnection?: (error: Error | null, socket: Duplex) => void): undefined {
    if (!options.target) throw new Error('a request through a DialAgent needs a permitted target');
    this.#dialer.connect(options.target).then(
      (socket) => onConnection?.(null, socket),
      (error: Error) => onConnection?.(error, undefined as never),
    );
  }
}
