import { errorMessage } from '../../base/index.ts';
import { StoreError, type Watch, type WatchBatch } from '../store.ts';
import { type WatchCreateMessage, WatchRequest, WatchResponse, type WatchResponseMessage } from '../wire/messages.ts';
import { type FrontContext, framed, headerNow, headerOf } from './answers.ts';
import { encodeEvents, frameOfEvents } from './encode-events.ts';
import type { Handler } from './grpc-server.ts';
import type { StreamCall } from './stream-call.ts';

export function watchService(front: FrontContext): Record<string, Handler> {
  return { Watch: { stream: (call) => new WatchStream(front, call).run() } };
}

/** etcd's watch id for responses that concern the whole stream. */
const NO_WATCH = -1;

interface OpenWatch {
  id: number;
  watch: Watch;
  create: WatchCreateMessage;
  progressRequested: boolean;
}

/** The watches of one stream. */
class WatchStream {
  readonly #watches = new Map<number, OpenWatch>();
  readonly #running = new Set<Promise<void>>();
  #nextId = 0;
  readonly #front: FrontContext;
  readonly #call: StreamCall;

  constructor(front: FrontContext, call: StreamCall) {
    this.#front = front;
    this.#call = call;
  }

  async run(): Promise<void> {
    const cancelAll = (): void => {
      for (const { watch } of this.#watches.values()) watch.cancel();
    };
    this.#call.signal.addEventListener('abort', cancelAll);
    try {
      for await (const bytes of this.#call.messages()) {
        const { create, cancel, progress } = WatchRequest.decode(bytes);
        if (create !== undefined) await this.#create(create);
        else if (cancel !== undefined) await this.#cancel(cancel.watchId);
        else if (progress !== undefined) await this.#progress();
      }
    } finally {
      cancelAll();
      await Promise.all(this.#running);
    }
  }

  async #create(create: WatchCreateMessage): Promise<void> {
    const { store } = this.#front;
    // A watch without a key is one on the smallest key.
    const key = create.key === '' ? '\0' : create.key;
    const id = create.watchId === 0 ? this.#unusedId() : create.watchId;
    const header = await headerNow(this.#front);
    if (this.#watches.has(id)) {
      const cancelReason = 'mvcc: duplicate watch ID provided on the WatchStream';
      return this.#send({ header, watchId: NO_WATCH, created: true, canceled: true, cancelReason });
    }
    const watch = store.watch({
      key,
      rangeEnd: create.rangeEnd,
      startRevision: create.startRevision > 0 ? create.startRevision : header.revision + 1,
      prevKv: create.prevKv,
      progressNotify: create.progressNotify,
      filters: create.filters.map((filter) => (filter === 0 ? 'noput' : 'nodelete')),
    });
    const open: OpenWatch = { id, watch, create, progressRequested: false };
    this.#watches.set(id, open);
    this.#send({ header, watchId: id, created: true });
    const running = this.#deliver(open).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #deliver(open: OpenWatch): Promise<void> {
    const batches = open.watch[Symbol.asyncIterator]();
    try {
      // Without `for await`, which makes three promises for each batch of each watcher.
      for (let next = await batches.next(); !next.done; next = await batches.next()) {
        if (next.value.events.length > 0) this.#sendEvents(open, next.value);
        else this.#progressed(open, next.value);
        const ready = this.#call.ready();
        if (ready !== undefined) await ready;
      }
    } catch (error) {
      const header = await headerNow(this.#front).catch(() => headerOf(this.#front, 0));
      const compacted = error instanceof StoreError && error.code === 'compacted';
      this.#send({
        header,
        watchId: open.id,
        canceled: true,
        compactRevision: compacted ? error.compactRevision : 0,
        cancelReason: compacted ? '' : errorMessage(error),
      });
    }
    open.watch.cancel();
    this.#watches.delete(open.id);
  }

  async #cancel(id: number): Promise<void> {
    const open = this.#watches.get(id);
    if (open === undefined) return;
    open.watch.cancel();
    this.#watches.delete(id);
    this.#send({ header: await headerNow(this.#front), watchId: id, canceled: true });
  }

  /** Answered once every watch of the stream has caught up, with one message for all. */
  async #progress(): Promise<void> {
    if (this.#watches.size === 0) return this.#send({ header: await headerNow(this.#front), watchId: NO_WATCH });
    for (const open of this.#watches.values()) {
      open.progressRequested = true;
      open.watch.requestProgress();
    }
  }

  #progressed(open: OpenWatch, batch: WatchBatch): void {
    const header = headerOf(this.#front, batch.revision);
    if (!open.progressRequested) return this.#send({ header, watchId: open.id });
    open.progressRequested = false;
    for (const other of this.#watches.values()) if (other.progressRequested) return;
    this.#send({ header, watchId: NO_WATCH });
  }

  #sendEvents({ id, create }: OpenWatch, batch: WatchBatch): void {
    const header = headerOf(this.#front, batch.revision);
    const { eventFrame, maxRequestBytes } = this.#front;
    const whole = eventFrame(batch, header, id);
    if (!create.fragment || whole.length < maxRequestBytes) return this.#call.send(whole);
    const parts = fragments(batch, maxRequestBytes);
    parts.forEach((part, i) => {
      this.#call.send(frameOfEvents({ header, watchId: id, fragment: i < parts.length - 1 }, part));
    });
  }

  #send(response: Partial<WatchResponseMessage>): void {
    this.#call.send(framed(WatchResponse, response));
  }

  #unusedId(): number {
    while (this.#watches.has(this.#nextId)) this.#nextId++;
    return this.#nextId++;
  }
}

function fragments(batch: WatchBatch, maxBytes: number): Buffer[] {
  const parts: Buffer[] = [];
  let part: WatchBatch['events'] = [];
  let size = 0;
  for (const event of batch.events) {
    const bytes = event.kv.key.length + event.kv.value.length + (event.prevKv?.value.length ?? 0) + 128;
    if (part.length > 0 && size + bytes > maxBytes) {
      parts.push(encodeEvents({ events: part }));
      part = [];
      size = 0;
    }
    part.push(event);
    size += bytes;
  }
  parts.push(encodeEvents({ events: part }));
  return parts;
}
