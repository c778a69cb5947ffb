import { Backoff, type Clock, type Logger, type Random } from '../kernel/index.ts';
import { isStatusError } from '../machinery/errors/index.ts';
import { isExpired, isInvalid, isTooLargeResourceVersion, isTooManyRequests } from './errors.ts';
import { listPages } from './list-pages.ts';
import type { ListOptions, ObjectList, WatchOptions } from './resource-client.ts';
import { keyOf, type ApiObject } from './resource.ts';
import { TransportError, type WatchEvent } from './transport.ts';
import { Watchdog } from './watchdog.ts';
import { withTimeout } from './with-timeout.ts';

/** The source of a reflector: a ResourceClient with fixed namespace and selectors. */
export interface ListerWatcher<T> {
  /** Whether the server is in this process. */
  readonly isInProcess?: boolean;
  list(options: ListOptions): Promise<ObjectList<T>>;
  watch(options: WatchOptions): AsyncIterable<WatchEvent<T>>;
}

/** The store that a reflector fills. It receives every change in the order of revisions. */
export interface ReflectorSink<T> {
  /** Replaces the whole content. */
  replace(objects: readonly T[], resourceVersion: string): void;
  set(object: T): void;
  delete(object: T): void;
}

export interface ReflectorOptions<T> {
  clock: Clock;
  random: Random;
  logger: Logger;
  source: ListerWatcher<T>;
  sink: ReflectorSink<T>;
  /** Gets the initial objects over a watch (WatchList) instead of a list; default true, until the server refuses it. */
  streamingList?: boolean;
  timing?: Partial<ReflectorTiming>;
}

export interface ReflectorTiming {
  /** The timeoutSeconds of a watch are random between these two, so that watches spread over API servers. */
  minWatchMs: number;
  maxWatchMs: number;
  /** A server that sends bookmarks sends one a minute; after this much silence the connection counts as dead. */
  silenceMs: number;
  /** How long a watch may outlive its timeoutSeconds on a server that sends no bookmarks. */
  graceMs: number;
  /** The timeout of the initial list. */
  listMs: number;
}

const DEFAULT_TIMING: ReflectorTiming = {
  minWatchMs: 300_000,
  maxWatchMs: 600_000,
  silenceMs: 150_000,
  graceMs: 30_000,
  listMs: 300_000,
};

/** A watch inside the process need not move to another server, and has a bookmark every four minutes. */
const IN_PROCESS_TIMING: Partial<ReflectorTiming> = {
  minWatchMs: 21_600_000,
  maxWatchMs: 43_200_000,
  silenceMs: 600_000,
};

/** A watch that ends this soon without an event counts as a failure, as in client-go. */
const VERY_SHORT_WATCH_MS = 1_000;

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/**
 * Keeps a sink equal to the server's objects. It lists once, then watches. A broken watch resumes from the last
 * resourceVersion; only when that has expired (410) does it list again. It runs until its signal aborts.
 */
export class Reflector<T extends ApiObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #timing: ReflectorTiming;
  readonly #backoff: Backoff;
  /** Whether the server can answer a WatchList, as far as is known. */
  #streaming: boolean;
  /** The last WatchList has failed: the next attempt lists. */
  #listNext = false;
  #serverSendsBookmarks = false;
  /** The last resourceVersion seen; empty before the first list. */
  #resourceVersion = '';
  /** The last resourceVersion is not available any more: list the latest state. */
  #unavailable = false;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    const inProcess = options.source.isInProcess ? IN_PROCESS_TIMING : {};
    this.#timing = { ...DEFAULT_TIMING, ...inProcess, ...options.timing };
    this.#streaming = options.streamingList ?? true;
    const { clock, random } = options;
    this.#backoff = new Backoff({ baseMs: 800, capMs: 30_000, jitter: 1, random, resetAfterMs: 120_000, clock });
  }

  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    let synced = false;
    while (!signal.aborted) {
      const streamed = !synced && this.#streaming && !this.#listNext;
      this.#listNext = false;
      try {
        if (synced) await this.#watch(signal);
        else if (streamed) synced = await this.#streamThenWatch(signal);
        else {
          await this.#list(signal);
          synced = true;
        }
      } catch (error) {
        if (signal.aborted) return;
        synced = this.#afterFailure(error, { synced, streamed });
        await this.#options.clock.sleep(this.#backoff.next(), signal).catch(() => {});
      }
    }
  }

  /** Decides how to continue after an error: true to resume the watch, false to list again. */
  #afterFailure(error: unknown, { synced, streamed }: { synced: boolean; streamed: boolean }): boolean {
    const { logger } = this.#options;
    if (isExpired(error) || isTooLargeResourceVersion(error)) {
      logger.v(4).info('The resourceVersion is no longer available, relisting', {
        resourceVersion: this.#resourceVersion,
        err: error,
      });
      this.#unavailable = true;
      return false;
    }
    if (streamed && isStatusError(error) && !isTooManyRequests(error)) {
      logger.v(2).info('WatchList failed, falling back to list', { err: error });
      this.#listNext = true;
      // A server that does not know the parameters will not know them the next time.
      if (isInvalid(error) || error.code === 400) this.#streaming = false;
      return false;
    }
    // Connections end all the time; a stream that cannot be read will be no better the next time.
    const interrupted = error instanceof TransportError && error.code !== 'malformed';
    if (interrupted) logger.v(1).info('Watch was interrupted', { err: error });
    else logger.error(error, 'Failed to list or watch');
    return synced;
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { clock, source, sink } = this.#options;
    /** First any state, later nothing older than what was seen, and the latest when that is not available. */
    const resourceVersion = this.#unavailable ? '' : this.#resourceVersion === '' ? '0' : this.#resourceVersion;
    const { items, metadata } = await withTimeout({ clock, ms: this.#timing.listMs, signal, what: 'list' }, (limit) =>
      listPages((page) => source.list(page), { resourceVersion, signal: limit.signal }),
    );
    this.#resourceVersion = metadata.resourceVersion ?? '';
    this.#unavailable = false;
    sink.replace(items, this.#resourceVersion);
  }

  /** A WatchList: a watch that first sends every object. Returns true once these have arrived. */
  async #streamThenWatch(signal: AbortSignal): Promise<boolean> {
    const initial = new Map<string, T>();
    let synced = false;
    const options: WatchOptions = {
      resourceVersion: this.#unavailable ? '' : this.#resourceVersion,
      resourceVersionMatch: 'NotOlderThan',
      sendInitialEvents: true,
    };
    try {
      await this.#consume(options, signal, (event) => {
        if (synced) return this.#receive(event);
        if (event.type === 'DELETED') initial.delete(keyOf(event.object));
        else if (event.type !== 'BOOKMARK') initial.set(keyOf(event.object), event.object);
        else if (event.object.metadata.annotations?.[INITIAL_EVENTS_END] === 'true') {
          synced = true;
          this.#unavailable = false;
          this.#resourceVersion = event.object.metadata.resourceVersion ?? '';
          this.#options.sink.replace([...initial.values()], this.#resourceVersion);
          initial.clear();
        }
      });
    } catch (error) {
      if (!synced || signal.aborted || isExpired(error)) throw error;
      this.#afterFailure(error, { synced: true, streamed: false });
      if (!signal.aborted) await this.#options.clock.sleep(this.#backoff.next(), signal).catch(() => {});
      return true;
    }
    if (!synced) throw new TransportError('truncated', 'the watch ended before all initial objects had arrived');
    return true;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    let events = 0;
    await this.#consume({ resourceVersion: this.#resourceVersion }, signal, (event) => {
      events++;
      this.#receive(event);
    });
    if (events === 0 && clock.monotonic() - startedAt < VERY_SHORT_WATCH_MS) {
      throw new TransportError('connection-lost', 'very short watch: it ended at once without a single event');
    }
  }

  #receive({ type, object }: WatchEvent<T>): void {
    const { sink } = this.#options;
    if (type === 'DELETED') sink.delete(object);
    else if (type !== 'BOOKMARK') sink.set(object);
    this.#resourceVersion = object.metadata.resourceVersion ?? this.#resourceVersion;
  }

  /** Reads a watch to its end, under a watchdog: a half-open connection looks like a quiet server. */
  async #consume(options: WatchOptions, signal: AbortSignal, receive: (event: WatchEvent<T>) => void): Promise<void> {
    const { clock, random, source } = this.#options;
    const { minWatchMs, maxWatchMs, silenceMs, graceMs, listMs } = this.#timing;
    const lifetimeMs = minWatchMs + random.next() * (maxWatchMs - minWatchMs);
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const silent = (): void => controller.abort(new TransportError('timeout', 'the watch is silent'));
    const quietLimitMs = options.sendInitialEvents === true ? listMs : lifetimeMs + graceMs;
    const watchdog = new Watchdog({
      clock,
      limitMs: this.#serverSendsBookmarks ? silenceMs : quietLimitMs,
      onSilence: silent,
    });
    try {
      const events = source.watch({
        ...options,
        allowWatchBookmarks: true,
        timeoutSeconds: Math.round(lifetimeMs / 1000),
        signal: controller.signal,
      });
      for await (const event of events) {
        watchdog.touch();
        if (
          event.type === 'BOOKMARK' &&
          !this.#serverSendsBookmarks &&
          event.object.metadata.annotations?.[INITIAL_EVENTS_END] === undefined
        ) {
          this.#serverSendsBookmarks = true;
          watchdog.tighten(silenceMs);
        }
        receive(event);
      }
      controller.signal.throwIfAborted();
    } finally {
      watchdog.stop();
      signal.removeEventListener('abort', onAbort);
    }
  }
}
