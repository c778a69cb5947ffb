/** A port that another thread has, and that this one answers. */
import type { Worker } from 'node:worker_threads';
import type { Context } from '../../../kernel/index.ts';
import { type Connections, serveHttp1 } from '../connections.ts';
import type { RunningRequests } from '../running-requests.ts';
import type { SendBudget } from '../send-budget.ts';
import { http1ServerBehind } from '../settings.ts';
import { together } from '../together.ts';
import type { Handler, TlsOptions, Transport, TransportOptions } from '../transport.ts';
import { BatchReader, Outbox, type Batch } from './batch.ts';
import type { FrontOptions } from './front.ts';
import * as op from './operations.ts';
import { RemoteSockets } from './remote-socket.ts';
import { RemoteStreams } from './remote-streams.ts';
import { TellingHeads } from './told-heads.ts';

interface ThreadOptions extends TransportOptions {
  readonly tls: TlsOptions;
  readonly thread: Worker;
}

interface Serving {
  readonly running: RunningRequests;
  readonly handler: Handler;
  readonly budget: SendBudget;
  /** What serves the connections that come in elsewhere. */
  readonly connections: Connections;
}

export async function listenInThread(
  ctx: Context,
  { thread, ...options }: ThreadOptions,
  serving: Serving,
): Promise<Transport> {
  const { host, port, tls, maxBodyBytes } = options;
  const front = new RemoteFront(ctx, thread, { ...serving, maxBodyBytes });
  thread.postMessage({ host, port, tls, maxBodyBytes } satisfies FrontOptions);
  /** An error does not bring its fields along from another thread. */
  const listening = front.listening.catch((error: Error) =>
    Promise.reject(Object.assign(error, { port, address: host })),
  );
  return {
    port: await listening,
    renew: (renewed) => front.renew(renewed),
    accept: serving.connections.accept,
    close: (graceMs) => front.close(graceMs),
    failed: front.failed,
  };
}

class RemoteFront {
  /** Its port. */
  readonly listening: Promise<number>;
  /** Rejects when the thread ends without having been told to. */
  readonly failed: Promise<never>;
  readonly #outbox: Outbox;
  readonly #streams: RemoteStreams;
  readonly #sockets: RemoteSockets;
  readonly #stopped: Promise<void>;
  readonly #http1 = http1ServerBehind();
  #closing = false;

  constructor(
    ctx: Context,
    worker: Worker,
    private readonly serving: Serving & { readonly maxBodyBytes: number },
  ) {
    const outbox = new Outbox(worker, ctx.clock);
    this.#outbox = outbox;
    this.#streams = new RemoteStreams({
      ...serving,
      outbox,
      heads: new TellingHeads(outbox),
      begin: together(ctx.clock),
    });
    serveHttp1(this.#http1, serving);
    this.#sockets = new RemoteSockets(outbox, (socket) => this.#http1.emit('connection', socket));
    this.#stopped = new Promise((resolve) => worker.once('exit', () => resolve()));
    this.failed = new Promise((_, reject) => {
      worker.once('error', reject);
      worker.once('exit', (code) => {
        this.#streams.closeAll();
        this.#sockets.closeAll();
        if (!this.#closing) reject(new Error(`the thread that has the port ended with ${code}`));
      });
    });
    this.listening = new Promise((resolve, reject) => {
      this.failed.catch(reject);
      worker.on('message', (batch: Batch) =>
        this.#receive(batch, {
          listening: resolve,
          failed: (error) => {
            this.#closing = true;
            reject(error);
          },
        }),
      );
    });
  }

  #receive(
    batch: Batch,
    on: { readonly listening: (port: number) => void; readonly failed: (error: Error) => void },
  ): void {
    const reader = new BatchReader(batch);
    while (!reader.done) {
      const operation = reader.next<number>();
      if (this.#streams.perform(operation, reader) || this.#sockets.perform(operation, reader)) continue;
      if (operation === op.LISTENING) on.listening(reader.next<number>());
      else if (operation === op.FAILED)
        on.failed(Object.assign(new Error(reader.next<string>()), { code: reader.next<string>() }));
    }
  }

  renew(tls: TlsOptions): void {
    this.serving.connections.renew(tls);
    this.#outbox.say(op.RENEW, tls);
  }

  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    this.#outbox.say(op.STOP_LISTENING);
    await this.serving.connections.close(graceMs);
    this.#outbox.say(op.STOP);
    await this.#stopped;
    this.#http1.close();
  }
}
