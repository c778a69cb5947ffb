/**
 * A list that stays equal to the server's: read in pages, then followed by a watch. Changes reach the page once a frame, and once a
 * second when there are many items, so that scrolling stays smooth.
 */
import { signal, type Signal } from '@preact/signals';
import { api, ApiError, messageOf, openSocket, type Status } from './request.ts';

export interface ListOptions {
  readonly query?: Readonly<Record<string, string>>;
  /** Of the past; 0 is now. */
  readonly revision?: number;
}

/** The form in which the server tells about objects. */
export interface ListForm<Body, Item> {
  readonly accept: string;
  /** Added to the query of a watch: WebSockets of browsers cannot name the form of the answer. */
  readonly watchQuery: string;
  readonly keyOf: (item: Item) => string;
  /** What a list, or the object of an event, tells. */
  readonly itemsOf: (body: Body) => readonly Item[];
  /** Of the object of an event. */
  readonly versionOf: (body: Body) => string | undefined;
}

interface ListMetadata {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

const PAGE_ITEMS = 2000;
const MANY_ITEMS = 5000;
const MANY_ITEMS_MS = 1000;
const RETRY_MS = [500, 1000, 2000, 5000, 10_000];
/** What is forbidden or unknown stays so for longer. */
const REFUSED_MS = 30_000;

export class LiveList<Body, Item> {
  readonly items: Signal<readonly Item[]> = signal([]);
  readonly state: Signal<'loading' | 'live' | 'waiting' | 'past'> = signal('loading');
  readonly error: Signal<string | undefined> = signal(undefined);
  readonly #form: ListForm<Body, Item>;
  readonly #items = new Map<string, Item>();
  readonly #path: string;
  readonly #query: URLSearchParams;
  readonly #revision: number;
  readonly #closed = new AbortController();
  #socket: WebSocket | undefined;
  #timer: number | undefined;
  #flushing = false;
  #failures = 0;

  constructor(path: string, form: ListForm<Body, Item>, { query = {}, revision = 0 }: ListOptions = {}) {
    this.#path = path;
    this.#form = form;
    this.#query = new URLSearchParams(query);
    this.#revision = revision;
    void this.#list();
  }

  close(): void {
    this.#closed.abort();
    this.#socket?.close();
    clearTimeout(this.#timer);
  }

  /** Sees every list and every object of an event. */
  protected received(_body: Body): void {}

  async #list(): Promise<void> {
    try {
      const known = new Set<string>();
      let version = '';
      for (let next: string | undefined = ''; next !== undefined;) {
        const query = new URLSearchParams(this.#query);
        query.set('limit', String(PAGE_ITEMS));
        if (next !== '') query.set('continue', next);
        // The next pages go on at the revision of the first.
        else if (this.#revision > 0) {
          query.set('resourceVersion', String(this.#revision));
          query.set('resourceVersionMatch', 'Exact');
        }
        const page: Body & ListMetadata = await api<Body & ListMetadata>(`${this.#path}?${query.toString()}`, {
          accept: this.#form.accept,
          signal: this.#closed.signal,
        });
        for (const key of this.#take(page)) known.add(key);
        version = page.metadata?.resourceVersion ?? '';
        next = page.metadata?.continue || undefined;
        this.#flushSoon();
      }
      for (const key of this.#items.keys()) if (!known.has(key)) this.#items.delete(key);
      this.#flush();
      this.error.value = undefined;
      this.state.value = this.#revision > 0 ? 'past' : 'live';
      // The past does not change.
      if (this.#revision === 0) this.#watch(version);
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      this.error.value = messageOf(error);
      this.state.value = 'waiting';
      this.#again(() => void this.#list(), error instanceof ApiError && error.code < 500 ? REFUSED_MS : undefined);
    }
  }

  #watch(version: string): void {
    const query = new URLSearchParams(this.#query);
    query.set('watch', 'true');
    query.set('allowWatchBookmarks', 'true');
    query.set('resourceVersion', version);
    const socket = openSocket(`${this.#path}?${query.toString()}${this.#form.watchQuery}`);
    this.#socket = socket;
    let latest: string | undefined = version;
    socket.addEventListener('message', ({ data }) => {
      const text = typeof data === 'string' ? data : new TextDecoder().decode(data as ArrayBuffer);
      if (text === '') return;
      this.#failures = 0;
      const event = JSON.parse(text) as { type: string; object: Body & Status };
      // The server has forgotten this version: list again.
      if (event.type === 'ERROR') {
        latest = undefined;
        socket.close();
        return;
      }
      latest = this.#form.versionOf(event.object) ?? latest;
      if (event.type === 'BOOKMARK') return;
      if (event.type !== 'DELETED') this.#take(event.object);
      else for (const item of this.#form.itemsOf(event.object)) this.#items.delete(this.#form.keyOf(item));
      this.#flushSoon();
    });
    socket.addEventListener('close', () => {
      if (this.#closed.signal.aborted) return;
      const from = latest;
      this.#again(() => (from === undefined || this.#failures > 1 ? void this.#list() : this.#watch(from)));
    });
  }

  #take(body: Body): string[] {
    this.received(body);
    return this.#form.itemsOf(body).map((item) => {
      const key = this.#form.keyOf(item);
      this.#items.set(key, item);
      return key;
    });
  }

  #flush(): void {
    this.items.value = [...this.#items.values()];
  }

  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    const flush = (): void => {
      this.#flushing = false;
      if (!this.#closed.signal.aborted) this.#flush();
    };
    if (this.#items.size > MANY_ITEMS) setTimeout(flush, MANY_ITEMS_MS);
    else requestAnimationFrame(flush);
  }

  #again(work: () => void, waitMs = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)]): void {
    this.#failures++;
    this.#timer = window.setTimeout(work, waitMs);
  }
}
