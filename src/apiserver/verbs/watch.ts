/**
 * Watch: the changes of a collection as they happen. The start (a snapshot, or the replay of missed events) and the
 * subscription happen in one step, so no event falls between them; from then on the cache delivers every event and the
 * session writes it, as a frame that all watchers of the event share.
 *
 * Nothing is buffered for a slow reader. Its session remembers the last revision that it wrote, and resumes from there
 * once the reader is ready: from the events of the cache's window, or from the store's history when the window has
 * moved on, until it has caught up.
 */
import { prefixRange, StoreError, type WatchBatch } from '../../etcd/index.ts';
import { everyTogether } from '../../kernel/index.ts';
import { resourceExpired } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { viewOf } from '../registry/served-resource.ts';
import { listOptions, type ListOptions } from '../request/options.ts';
import type { FrameSink, Result } from '../request/request.ts';
import { requestedVersion } from '../request/resource-version.ts';
import type { Entry } from '../storage/entry.ts';
import { CacheEvent, type CacheWatcher, type EventType } from '../storage/resource-cache.ts';
import { prepareAll } from './list.ts';
import type { Scope } from './scope.ts';
import { selectionOf, type Selection } from './selection.ts';
import { objectEncoder, watchEncoderOf, type WatchEncoder } from './watch-encoder.ts';

/** Those of the same `togetherMs` are sent at the same time; the first one of a watch is up to this much early. */
interface BookmarkTimes {
  readonly everyMs: number;
  readonly togetherMs: number;
}
const BOOKMARKS: BookmarkTimes = { everyMs: 60_000, togetherMs: 5_000 };
/**
 * Nothing but the end of the process can end a watch inside it: where it lives for hours, it needs few bookmarks, and one
 * timer sends those of all watches.
 */
const LONG_WATCH_SECONDS = 3_600;
const BOOKMARKS_OF_LONG_WATCHES: BookmarkTimes = { everyMs: 240_000, togetherMs: 240_000 };
const MIN_TIMEOUT_SECONDS = 1800;
/** How many missed events are looked up at a time. */
const MISSED_EVENTS_LIMIT = 64;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

export async function watch(scope: Scope): Promise<Result> {
  const options = listOptions(scope.request.query, true);
  const selection = selectionOf(scope, options);
  const requested = requestedVersion(options.resourceVersion);
  const revision = Number(requested);
  const encoder = watchEncoderOf(scope);
  const { cache } = scope.backend;
  if (options.resourceVersion === '') await cache.waitUntilCurrent();
  if (options.sendInitialEvents && revision > 0) await cache.waitForClient(requested, scope.served);
  await prepareAll(scope);
  return {
    type: 'watch',
    contentType: encoder.contentType,
    run: (sink) =>
      new WatchSession({
        scope,
        options,
        selection,
        encoder,
        revision,
        bookmarks: BOOKMARKS,
        sink: scope.backend.watchMetrics.counting(scope.served, sinkFor(scope, sink)),
      }).run(),
    deliver: (sink) =>
      new WatchSession({
        scope,
        options,
        selection,
        encoder: objectEncoder(scope),
        revision,
        bookmarks: (options.timeoutSeconds ?? 0) < LONG_WATCH_SECONDS ? BOOKMARKS : BOOKMARKS_OF_LONG_WATCHES,
        sink,
      }).run(),
  };
}

/** An event is no list: a watch that wants lists ends with the first one, and has sent nothing. */
function sinkFor({ negotiated }: Scope, sink: FrameSink<Buffer>): FrameSink<Buffer> {
  if (negotiated.as?.kind !== 'PartialObjectMetadataList') return sink;
  const ending = new AbortController();
  return {
    signal: AbortSignal.any([sink.signal, ending.signal]),
    write: () => (ending.abort(), true),
    drained: () => sink.drained(),
  };
}

interface SessionOptions<F> {
  readonly scope: Scope;
  readonly options: ListOptions;
  readonly selection: Selection;
  readonly encoder: WatchEncoder<F>;
  readonly revision: number;
  readonly bookmarks: BookmarkTimes;
  readonly sink: FrameSink<F>;
}

class WatchSession<F> implements CacheWatcher {
  readonly #session: SessionOptions<F>;
  readonly scope: string;
  /** Everything up to this revision has been written. */
  #delivered = 0;
  /** The reader keeps up: events are written as the cache delivers them. */
  #live = false;
  #ended = false;
  #end: () => void = () => {};
  #cancelReplay: (() => void) | undefined;

  constructor(session: SessionOptions<F>) {
    this.#session = session;
    this.scope = watcherScope(session);
  }

  async run(): Promise<void> {
    const { scope: request, sink, options, bookmarks } = this.#session;
    const { clock, random } = request.backend.ctx;
    const { minWatchSeconds = MIN_TIMEOUT_SECONDS } = request.backend;
    const seconds = options.timeoutSeconds || minWatchSeconds * (1 + random.next());
    const done = new Promise<void>((resolve) => (this.#end = resolve));
    if (sink.signal.aborted) return;
    const unsubscribe = request.served.cache.watch(this);
    const timers = [clock.after(seconds * 1000, () => this.#stop())];
    if (options.allowWatchBookmarks) {
      timers.push(everyTogether(clock, bookmarks.everyMs, () => this.#bookmark(), bookmarks.togetherMs));
      // A last bookmark before the end spares the client a replay when it reconnects.
      if (seconds > 4) timers.push(clock.after((seconds - 2) * 1000, () => this.#bookmark()));
    }
    const onAbort = (): void => this.#stop();
    sink.signal.addEventListener('abort', onAbort, { once: true });
    this.#send(this.#begin());
    try {
      if (!this.#ended) await done;
    } finally {
      sink.signal.removeEventListener('abort', onAbort);
      for (const timer of timers) timer.cancel();
      unsubscribe();
    }
  }

  deliver(event: CacheEvent): void {
    if (!this.#live || this.#ended || event.revision <= this.#delivered) return;
    // A conversion webhook may have to be awaited: the event is read from the window later.
    const mustWait = this.#session.scope.served.prepareViews !== undefined;
    this.#delivered = mustWait ? event.revision - 1 : event.revision;
    if (mustWait || !this.#writeEvent(event)) this.#catchUp();
  }

  end(): void {
    this.#stop();
  }

  /** From now on events wait in the cache's window until the reader is ready. */
  #catchUp(): void {
    this.#live = false;
    this.#send(this.#session.sink.drained().then(() => this.#follow()));
  }

  #send(sending: Promise<void>): void {
    sending.catch((error: unknown) => {
      if (!this.#ended) this.#session.scope.backend.ctx.logger.error(error, 'Watch failed');
      this.#stop();
    });
  }

  /** Sends what the client has not seen yet, as fast as it reads, and then follows. */
  async #begin(): Promise<void> {
    const { scope: request, options, revision } = this.#session;
    const fromNow =
      options.resourceVersion === '' || options.resourceVersion === '0' || options.sendInitialEvents === true;
    this.#delivered = fromNow ? request.backend.cache.revision : revision;
    if (fromNow && options.sendInitialEvents !== false) await this.#sendSnapshot();
    await this.#follow();
    request.releaseSeat();
  }

  async #sendSnapshot(): Promise<void> {
    const { scope: request, selection, options, encoder, sink } = this.#session;
    const { served, place } = request;
    const revision = this.#delivered;
    const startedAt = request.backend.ctx.clock.monotonic();
    // A copy: the cache's list changes with the next event.
    const entries = served.cache
      .list(place.namespace)
      .filter((entry) => !selection.matches || selection.matches(entry));
    served.cache.counts.initialEvents += entries.length;
    if (served.prepareViews) await served.prepareViews(entries);
    for (const entry of entries) {
      if (this.#ended) return;
      if (!sink.write(encoder.encode('ADDED', viewOf(served, entry)))) await sink.drained();
    }
    if (options.sendInitialEvents) request.backend.watchMetrics.listed(served, place.namespace, startedAt);
    if (options.sendInitialEvents && options.allowWatchBookmarks && !this.#ended) {
      if (!sink.write(encoder.bookmark(revision, { [INITIAL_EVENTS_END]: 'true' }))) await sink.drained();
    }
  }

  /** Sends all events since the last one that was written, as fast as the client reads. */
  async #follow(): Promise<void> {
    const { served } = this.#session.scope;
    while (!this.#ended) {
      const missed = served.cache.eventsSince(this.#delivered, MISSED_EVENTS_LIMIT);
      if (!missed) await this.#replayFromStore();
      else if (missed.length > 0) await this.#sendMissed(missed);
      else {
        this.#live = true;
        return;
      }
    }
  }

  async #sendMissed(events: Iterable<CacheEvent>): Promise<void> {
    const { scope: request, sink } = this.#session;
    const { prepareViews } = request.served;
    for (const event of events) {
      // The window holds the events of all namespaces.
      const concerned = this.#inPlace(event.entry);
      if (concerned && prepareViews) await prepareViews(event.previous ? [event.entry, event.previous] : [event.entry]);
      if (this.#ended) return;
      this.#delivered = event.revision;
      if (concerned && !this.#writeEvent(event)) await sink.drained();
    }
  }

  /** Replays events that are older than the cache's window from the store's history, unless it has been compacted. */
  async #replayFromStore(): Promise<void> {
    const { served, backend } = this.#session.scope;
    const from = this.#delivered;
    const watch = backend.store.watch({ ...prefixRange(served.stored.prefix), startRevision: from + 1, prevKv: true });
    this.#cancelReplay = () => watch.cancel();
    // Progress marks the end of the history also when no event of this resource is in it.
    watch.requestProgress();
    try {
      for await (const batch of watch) {
        await this.#sendMissed(this.#storedEvents(batch));
        if (this.#ended) return;
        this.#delivered = Math.max(this.#delivered, batch.revision);
        if (this.#delivered >= served.cache.windowStart) return;
      }
      this.#stop();
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'compacted') throw error;
      const expired = resourceExpired(
        `too old resource version: ${from} (${error.compactRevision || served.cache.windowStart})`,
      );
      this.#session.sink.write(this.#session.encoder.encodeObject('ERROR', expired.status as unknown as KubeObject));
      this.#stop();
    } finally {
      watch.cancel();
      this.#cancelReplay = undefined;
    }
  }

  *#storedEvents({ events }: WatchBatch): Generator<CacheEvent> {
    const { served, backend } = this.#session.scope;
    for (const { type, kv, prevKv } of events) {
      const previous = prevKv && backend.cache.entryOf(served.stored, prevKv);
      const entry = type === 'put' ? backend.cache.entryOf(served.stored, kv) : previous?.atRevision(kv.modRevision);
      if (!entry) continue;
      const eventType: EventType = type === 'delete' ? 'DELETED' : previous ? 'MODIFIED' : 'ADDED';
      yield new CacheEvent(eventType, kv.modRevision, entry, previous);
    }
  }

  #inPlace(entry: Entry): boolean {
    const { namespace } = this.#session.scope.place;
    return namespace === '' || entry.namespace === namespace;
  }

  /**
   * With a selector, an object that starts to match is ADDED and one that stops is DELETED, whatever happened to it.
   */
  #writeEvent(event: CacheEvent): boolean {
    const { selection, encoder, scope: request, sink } = this.#session;
    if (!selection.matches) return sink.write(encoder.encodeShared(event));
    const { matches } = selection;
    const now = event.type !== 'DELETED' && matches(event.entry);
    const before = event.previous !== undefined && matches(event.previous);
    if (now) {
      const type = before ? 'MODIFIED' : 'ADDED';
      return sink.write(
        type === event.type ? encoder.encodeShared(event) : encoder.encode(type, viewOf(request.served, event.entry)),
      );
    }
    if (!before) return true;
    const shown =
      event.type === 'DELETED'
        ? viewOf(request.served, event.entry)
        : viewOf(request.served, event.previous!).atRevision(event.revision);
    return sink.write(encoder.encode('DELETED', shown));
  }

  /** A bookmark promises that the client has seen everything up to its version, so only a live session may send one. */
  #bookmark(): void {
    if (this.#ended || !this.#live) return;
    const { cache } = this.#session.scope.backend;
    this.#delivered = Math.max(this.#delivered, cache.revision);
    if (!this.#session.sink.write(this.#session.encoder.bookmark(this.#delivered, undefined))) this.#catchUp();
  }

  #stop(): void {
    this.#ended = true;
    this.#cancelReplay?.();
    this.#end();
  }
}

/** The narrowest scope that covers the watch. */
function watcherScope({ scope, selection }: Pick<SessionOptions<unknown>, 'scope' | 'selection'>): string {
  const { served, place } = scope;
  const name = selection.pinned.get('metadata.name');
  const namespace = served.namespaced ? place.namespace || (selection.pinned.get('metadata.namespace') ?? '') : '';
  if (name !== undefined && (namespace !== '' || !served.namespaced)) return `${namespace}/${name}`;
  const node = served.kind === 'Pod' && place.namespace === '' ? selection.pinned.get('spec.nodeName') : undefined;
  if (node) return `node:${node}`;
  return namespace === '' ? '' : `${namespace}/`;
}
