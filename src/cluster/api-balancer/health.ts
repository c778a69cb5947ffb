/** Whether an API server is ready, asked again and again over one connection. */
import type { TLSSocket } from 'node:tls';
import type { Context } from '../../kernel/index.ts';
import { TlsTrust } from '../../net/tls/index.ts';

interface HealthOptions {
  /** `https://HOST:PORT` */
  readonly server: string;
  /** PEM */
  readonly ca: string;
  readonly onChange: (healthy: boolean) => void;
}

const INTERVAL_MS = 2000;
const TIMEOUT_MS = 2000;
/** A busy server may be late once. */
const FAILURES = 2;
const MAX_ANSWER = 16 * 1024;

/** Asks until the context ends. A server is healthy until the opposite is seen. */
export async function watchHealth(ctx: Context, { server, ca, onChange }: HealthOptions): Promise<void> {
  const { clock, signal } = ctx;
  const probe = new Probe(server, ca);
  let [healthy, failures] = [true, 0];
  try {
    while (!signal.aborted) {
      const answer = await probe.ask(clock.deadline(TIMEOUT_MS, signal));
      if (signal.aborted) return;
      failures = answer === 'ready' ? 0 : failures + 1;
      const now = answer === 'ready' || (answer === 'silent' && failures < FAILURES && healthy);
      if (now !== healthy) onChange((healthy = now));
      await clock.sleep(INTERVAL_MS, signal).catch(() => undefined);
    }
  } finally {
    probe.close();
  }
}

type Answer = 'ready' | 'unready' | 'refused' | 'silent';

/** `GET /readyz` over a connection that stays open; a client without a name may ask that. */
class Probe {
  readonly #url: URL;
  readonly #trust: TlsTrust;
  #socket: TLSSocket | undefined;

  constructor(server: string, ca: string) {
    this.#url = new URL(server);
    this.#trust = new TlsTrust({ ca });
  }

  async ask(signal: AbortSignal): Promise<Answer> {
    try {
      this.#socket ??= await this.#connect(signal);
      const status = await this.#request(this.#socket, signal);
      if (status === 200) return 'ready';
      this.close();
      return 'unready';
    } catch (error) {
      this.close();
      return (error as { code?: string }).code === 'ECONNREFUSED' ? 'refused' : 'silent';
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #connect(signal: AbortSignal): Promise<TLSSocket> {
    const { hostname, port } = this.#url;
    return this.#trust.connect({ host: hostname, port: Number(port || 443), signal });
  }

  /** Its status code. */
  #request(socket: TLSSocket, signal: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      let text = '';
      const settle = (outcome: number | Error): void => {
        socket.off('data', onData).off('close', onClose).off('error', onClose);
        signal.removeEventListener('abort', onClose);
        // Without a listener an error would end the process.
        socket.on('error', () => undefined);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      const onClose = (): void => settle(new Error('no answer'));
      const onData = (bytes: Buffer): void => {
        text += bytes.toString('latin1');
        const end = text.indexOf('\r\n\r\n');
        const length = Number(/\r\ncontent-length: *(\d+)\r\n/i.exec(text)?.[1] ?? 0);
        if (end >= 0 && text.length >= end + 4 + length) settle(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0));
        else if (text.length > MAX_ANSWER) onClose();
      };
      socket.removeAllListeners('error').on('error', onClose).on('data', onData).on('close', onClose);
      signal.addEventListener('abort', onClose, { once: true });
      if (signal.aborted) return onClose();
      socket.write(`GET /readyz HTTP/1.1\r\nHost: ${this.#url.host}\r\nUser-Agent: k8ts-balancer\r\n\r\n`);
    });
  }
}
