/**
 * Watch: the changes of a collection as they happen. The start (a snapshot, or the replay of what was missed) and the
 * subscription happen in one step, so nothing can fall between them; from then on the cache hands every event over
 * and the session writes it out, as a frame that all watchers of the event share.
 */
import { prefixRange, StoreError, type Watch as StoreWatch } from '../../etcd/index.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { resourceExpired } from '../../machinery/status.ts';
import { listOptions, type ListOptions } from '../options.ts';
import { viewOf } from '../registry/served-resource.ts';
import { requestedVersion } from '../resource-version.ts';
import type { FrameSink, Result } from '../result.ts';
import type { Scope } from '../scope.ts';
import type { Entry } from '../storage/entry.ts';
import { CacheEvent, type CacheWatcher, type EventType } from '../storage/resource-cache.ts';
import { prepareAll } from './list.ts';
import { selectionOf, type Selection } from './selection.ts';
import { objectEncoder, watchEncoderOf, type WatchEncoder } from './watch-encoder.ts';

const BOOKMARK_EVERY_MS = 60_000;
const MIN_TIMEOUT_SECONDS = 1800;
/** A watcher that is this far behind is cut off: it can resume where it was, and nobody pays for its backlog. */
const MAX_PENDING_BYTES = 16 * 1024 * 1024;
export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

export async function watch(scope: Scope): Promise<Result> {
  const options = listOptions(scope.request.query, true);
  const selection = selectionOf(scope, options);
  const asked = requestedVersion(options.resourceVersion);
  const revision = Number(asked);
  const encoder = watchEncoderOf(scope);
  const { cache } = scope.backend;
  if (options.resourceVersion === '' || options.sendInitialEvents) await cache.waitUntilCurrent();
  if (options.sendInitialEvents && revision > 0) await cache.waitForClient(asked);
  await prepareAll(scope);
  return {
    type: 'watch',
    contentType: encoder.contentType,
    run: (sink) => new WatchSession({ scope, options, selection, encoder, revision, sink }).run(),
    deliver: (sink) => new WatchSession({ scope, options, selection, encoder: objectEncoder(scope), revision, sink }).run(),
  };
}

interface SessionOptions<F> {
  readonly scope: Scope;
  readonly options: ListOptions;
  readonly selection: Selection;
  readonly encoder: WatchEncoder<F>;
  readonly revision: number;
  readonly sink: FrameSink<F>;
}

class WatchSession<F> implements CacheWatcher {
  readonly scope: string;
  #delivered = 0;
  /** Events are sent one after the other, also when their views take time to be made. */
  #sent: Promise<void> = Promise.resolve();
  #ended = false;
  #end: () => void = () => {};

  constructor(private readonly session: SessionOptions<F>) {
    this.scope = watcherScope(session);
  }

  async run(): Promise<void> {
    const { scope: request, sink, options } = this.session;
    const { clock, random } = request.backend.ctx;
    const seconds = options.timeoutSeconds || MIN_TIMEOUT_SECONDS * (1 + random.next());
    const done = new Promise<void>((resolve) => (this.#end = resolve));
    if (sink.signal.aborted) return;
    const unsubscribe = this.#start();
    const timers = [clock.after(seconds * 1000, () => this.#stop())];
    if (options.allowWatchBookmarks) {
      timers.push(clock.every(BOOKMARK_EVERY_MS, () => this.#bookmark()));
      // A last bookmark just before the end spares the client a replay when it comes back.
      if (seconds > 4) timers.push(clock.after((seconds - 2) * 1000, () => this.#bookmark()));
    }
    const onAbort = (): void => this.#stop();
    sink.signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (!this.#ended) await done;
    } finally {
      sink.signal.removeEventListener('abort', onAbort);
      for (const timer of timers) timer.cancel();
      unsubscribe();
    }
  }

  deliver(event: CacheEvent): void {
    if (this.#ended || event.revision <= this.#delivered) return;
    this.#delivered = event.revision;
    this.#send(event);
  }

  end(): void {
    this.#stop();
  }

  /** Sends what the client has not seen yet and follows from there. */
  #start(): () => void {
    const { scope: request, options, revision } = this.session;
    const { served } = request;
    const cache = request.backend.cache;
    const fromNow = options.resourceVersion === '' || options.resourceVersion === '0' || options.sendInitialEvents === true;
    if (fromNow) {
      this.#delivered = cache.revision;
      if (options.sendInitialEvents !== false) this.#sendSnapshot();
      return served.cache.watch(this);
    }
    const missed = served.cache.eventsSince(revision);
    if (missed) {
      this.#delivered = revision;
      // The window is the whole resource's; others' namespaces are none of this watch's business.
      for (const event of missed) if (this.#inPlace(event.entry)) this.deliver(event);
      this.#delivered = Math.max(this.#delivered, revision);
      return served.cache.watch(this);
    }
    return this.#replayFromStore(revision);
  }

  #sendSnapshot(): void {
    const { scope: request, selection, options, encoder } = this.session;
    const { served, place } = request;
    for (const entry of served.cache.list(place.namespace)) {
      if (!selection.matches || selection.matches(entry)) this.#write(encoder.encode('ADDED', viewOf(served, entry)));
    }
    if (options.sendInitialEvents && options.allowWatchBookmarks) {
      this.#write(encoder.bookmark(this.#delivered, { [INITIAL_EVENTS_END]: 'true' }));
    }
  }

  /** Older than the cache's window: the store's own history, as far as it has not been compacted. */
  #replayFromStore(revision: number): () => void {
    const { served, backend } = this.session.scope;
    const watch = backend.store.watch({ ...prefixRange(served.stored.prefix), startRevision: revision + 1, prevKv: true });
    void this.#follow(watch, revision).catch((error: unknown) => {
      if (!this.#ended) backend.ctx.logger.error(error, 'A watch broke off');
      this.#stop();
    });
    return () => watch.cancel();
  }

  async #follow(watch: StoreWatch, revision: number): Promise<void> {
    const { served, backend } = this.session.scope;
    this.#delivered = revision;
    try {
      for await (const batch of watch) {
        for (const { type, kv, prevKv } of batch.events) {
          const previous = prevKv && backend.cache.entryOf(served.stored, prevKv);
          const entry = type === 'put' ? backend.cache.entryOf(served.stored, kv) : previous?.atRevision(kv.modRevision);
          if (!entry || !this.#inPlace(entry)) continue;
          const eventType: EventType = type === 'delete' ? 'DELETED' : previous ? 'MODIFIED' : 'ADDED';
          this.#send(new CacheEvent(eventType, kv.modRevision, entry, previous));
        }
        this.#delivered = batch.revision;
      }
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'compacted') throw error;
      const expired = resourceExpired(`too old resource version: ${revision} (${error.compactRevision || served.cache.windowStart})`);
      this.#write(this.session.encoder.encodeObject('ERROR', expired.status as unknown as KubeObject));
    }
    this.#stop();
  }

  #inPlace(entry: Entry): boolean {
    const { namespace } = this.session.scope.place;
    return namespace === '' || entry.namespace === namespace;
  }

  /** With a selector, entering it is ADDED and leaving it DELETED, whatever happened to the object itself. */
  #send(event: CacheEvent): void {
    const { served, backend } = this.session.scope;
    if (!served.prepareViews) return this.#sendNow(event);
    const entries = event.previous ? [event.entry, event.previous] : [event.entry];
    this.#sent = this.#sent
      .then(() => served.prepareViews!(entries))
      .then(() => (this.#ended ? undefined : this.#sendNow(event)))
      .catch((error: unknown) => {
        backend.ctx.logger.error(error, 'A watch ends since an object cannot be converted', { key: event.entry.key });
        this.#stop();
      });
  }

  #sendNow(event: CacheEvent): void {
    const { selection, encoder, scope: request } = this.session;
    if (!selection.matches) return this.#write(encoder.encodeShared(event));
    const { matches } = selection;
    const now = event.type !== 'DELETED' && matches(event.entry);
    const before = event.previous !== undefined && matches(event.previous);
    if (now) {
      const type = before ? 'MODIFIED' : 'ADDED';
      this.#write(type === event.type ? encoder.encodeShared(event) : encoder.encode(type, viewOf(request.served, event.entry)));
    } else if (before) {
      const shown = event.type === 'DELETED' ? viewOf(request.served, event.entry) : viewOf(request.served, event.previous!).atRevision(event.revision);
      this.#write(encoder.encode('DELETED', shown));
    }
  }

  #bookmark(): void {
    if (this.#ended) return;
    const { cache } = this.session.scope.backend;
    this.#delivered = Math.max(this.#delivered, cache.revision);
    this.#write(this.session.encoder.bookmark(this.#delivered, undefined));
  }

  #write(frame: F): void {
    const { sink } = this.session;
    sink.write(frame);
    if (sink.pending > MAX_PENDING_BYTES) this.#stop();
  }

  #stop(): void {
    this.#ended = true;
    this.#end();
  }
}

/** The narrowest place that covers what the watch may see. */
function watcherScope({ scope, selection }: Pick<SessionOptions<unknown>, 'scope' | 'selection'>): string {
  const { served, place } = scope;
  const name = selection.pinned.get('metadata.name');
  const namespace = served.namespaced ? place.namespace || (selection.pinned.get('metadata.namespace') ?? '') : '';
  if (name !== undefined && (namespace !== '' || !served.namespaced)) return `${namespace}/${name}`;
  const node = served.kind === 'Pod' && place.namespace === '' ? selection.pinned.get('spec.nodeName') : undefined;
  if (node) return `node:${node}`;
  return namespace === '' ? '' : `${namespace}/`;
}
