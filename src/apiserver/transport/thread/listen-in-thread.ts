/** A port that another thread serves, while this thread handles the requests. */
import type { Worker } from 'node:worker_threads';
import type { Context } from '../../../kernel/index.ts';
import type { ServingOptions } from '../../../net/tls/index.ts';
import { ALL_SPEED, type SpeedOptions } from '../../request/speed-options.ts';
import { batchRequests, startAtOnce } from '../batch-requests.ts';
import { type Connections, handshakeErrors, serveHttp1 } from '../connections.ts';
import type { RunningRequests } from '../running-requests.ts';
import type { SendBudget } from '../send-budget.ts';
import { http1ServerBehind } from '../settings.ts';
import { HTTP2_SETTINGS, type Handler, type Transport, type TransportOptions } from '../transport.ts';
import type { FrontOptions } from './front.ts';
import { headerTableWriter, wholeHeaderWriter } from './header-table.ts';
import { BatchReader, endOfTurn, Outbox, unbatched, type Batch } from './message-batch.ts';
import * as op from './operations.ts';
import { RemoteSockets } from './remote-socket.ts';
import { RemoteStreams } from './remote-streams.ts';

interface ThreadOptions extends TransportOptions {
  readonly tls: ServingOptions;
  readonly thread: Worker;
}

interface Serving {
  readonly running: RunningRequests;
  readonly handler: Handler;
  readonly budget: SendBudget;
  /** Serves the connections that were accepted elsewhere. */
  readonly connections: Connections;
}

export async function listenInThread(
  ctx: Context,
  { thread, ...options }: ThreadOptions,
  serving: Serving,
): Promise<Transport> {
  const { host, port, tls, maxBodyBytes, http2 = HTTP2_SETTINGS } = options;
  const speed = { ...ALL_SPEED, ...options.speed };
  const front = new RemoteFront(ctx, thread, { ...serving, maxBodyBytes, speed });
  thread.postMessage({ host, port, tls, maxBodyBytes, http2, speed } satisfies FrontOptions);
  // An error from another thread has lost its fields.
  const listening = front.listening.catch((error: Error) =>
    Promise.reject(Object.assign(error, { port, address: host })),
  );
  return {
    port: await listening,
    renew: (renewed) => front.renew(renewed),
    accept: serving.connections.accept,
    stopListening: () => front.stopListening(),
    close: (graceMs) => front.close(graceMs),
    failed: front.failed,
  };
}

class RemoteFront {
  readonly #serving: Serving & { readonly maxBodyBytes: number; readonly speed: SpeedOptions };
  readonly listening: Promise<number>;
  /** Rejects when the thread ends before `close`. */
  readonly failed: Promise<never>;
  readonly #outbox: Outbox;
  readonly #streams: RemoteStreams;
  readonly #sockets: RemoteSockets;
  readonly #stopped: Promise<void>;
  readonly #http1 = http1ServerBehind();
  readonly #handshakeFailed: () => void;
  #closing = false;

  constructor(
    ctx: Context,
    worker: Worker,
    serving: Serving & { readonly maxBodyBytes: number; readonly speed: SpeedOptions },
  ) {
    this.#serving = serving;
    this.#handshakeFailed = handshakeErrors(ctx);
    const { speed } = serving;
    const outbox = new Outbox(worker, speed.messageBatches ? endOfTurn(ctx.clock) : unbatched);
    this.#outbox = outbox;
    this.#streams = new RemoteStreams({
      ...serving,
      outbox,
      writeHead: speed.headerTables ? headerTableWriter(outbox) : wholeHeaderWriter(outbox),
      start: speed.batchRequests ? batchRequests(ctx.clock) : startAtOnce,
    });
    serveHttp1(this.#http1, serving);
    this.#sockets = new RemoteSockets(outbox, (socket) => this.#http1.emit('connection', socket));
    this.#stopped = new Promise((resolve) => worker.once('exit', () => resolve()));
    this.failed = new Promise((_, reject) => {
      worker.once('error', reject);
      worker.once('exit', (code) => {
        this.#streams.closeAll();
        this.#sockets.closeAll();
        if (!this.#closing) reject(new Error(`the thread that serves the port ended with ${code}`));
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
      if (operation === op.HANDSHAKE_FAILED) this.#handshakeFailed();
      else if (operation === op.LISTENING) on.listening(reader.next<number>());
      else if (operation === op.FAILED)
        on.failed(Object.assign(new Error(reader.next<string>()), { code: reader.next<string>() }));
    }
  }

  renew(tls: ServingOptions): void {
    this.#serving.connections.renew(tls);
    this.#outbox.send(op.RENEW, tls);
  }

  stopListening(): void {
    this.#serving.connections.stopListening();
    this.#outbox.send(op.STOP_LISTENING);
  }

  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    this.#outbox.send(op.STOP_LISTENING);
    await this.#serving.connections.close(graceMs);
    this.#outbox.send(op.STOP);
    await this.#stopped;
    this.#http1.close();
  }
}
