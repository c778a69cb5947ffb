/**
 * A list that stays equal to the server's: read in pages as server-side Tables, then followed by a watch. Changes reach the
 * page once a frame, and once a second when there are many rows, so that scrolling stays smooth.
 */
import { signal, type Signal } from '@preact/signals';
import { api, ApiError, messageOf, openSocket, type Status } from './request.ts';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly priority: number;
  readonly description?: string;
}

export interface Row {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly cells: readonly unknown[];
  readonly created: string;
  /** When deletion began. */
  readonly deleting: boolean;
}

interface Table {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly columnDefinitions?: readonly Column[];
  readonly rows?: readonly {
    readonly cells: readonly unknown[];
    readonly object?: {
      readonly metadata?: {
        readonly uid?: string;
        readonly name?: string;
        readonly namespace?: string;
        readonly creationTimestamp?: string;
        readonly deletionTimestamp?: string;
        readonly resourceVersion?: string;
      };
    };
  }[];
}

const ACCEPT = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const PAGE_ROWS = 2000;
const MANY_ROWS = 5000;
const MANY_ROWS_MS = 1000;
const RETRY_MS = [500, 1000, 2000, 5000, 10_000];

export class Feed {
  readonly rows: Signal<readonly Row[]> = signal([]);
  readonly columns: Signal<readonly Column[]> = signal([]);
  readonly state: Signal<'loading' | 'live' | 'waiting' | 'past'> = signal('loading');
  readonly error: Signal<string | undefined> = signal(undefined);
  readonly #rows = new Map<string, Row>();
  readonly #path: string;
  readonly #query: URLSearchParams;
  readonly #closed = new AbortController();
  #socket: WebSocket | undefined;
  #timer: number | undefined;
  #flushing = false;
  #failures = 0;

  readonly #revision: number;

  constructor(
    path: string,
    options: { readonly query?: Readonly<Record<string, string>>; readonly revision?: number } = {},
  ) {
    this.#path = path;
    this.#query = new URLSearchParams(options.query);
    this.#revision = options.revision ?? 0;
    void this.#list();
  }

  close(): void {
    this.#closed.abort();
    this.#socket?.close();
    clearTimeout(this.#timer);
  }

  async #list(): Promise<void> {
    try {
      const known = new Set<string>();
      let version = '';
      for (let next: string | undefined = ''; next !== undefined;) {
        const query = new URLSearchParams(this.#query);
        query.set('limit', String(PAGE_ROWS));
        if (next !== '') query.set('continue', next);
        // The next pages go on at the revision of the first.
        else if (this.#revision > 0) {
          query.set('resourceVersion', String(this.#revision));
          query.set('resourceVersionMatch', 'Exact');
        }
        const table: Table = await api<Table>(`${this.#path}?${query.toString()}`, {
          accept: ACCEPT,
          signal: this.#closed.signal,
        });
        for (const uid of this.#take(table)) known.add(uid);
        version = table.metadata?.resourceVersion ?? '';
        next = table.metadata?.continue || undefined;
        this.#flushSoon();
      }
      for (const uid of this.#rows.keys()) if (!known.has(uid)) this.#rows.delete(uid);
      this.#flush();
      this.error.value = undefined;
      this.state.value = this.#revision > 0 ? 'past' : 'live';
      // The past does not change.
      if (this.#revision === 0) this.#watch(version);
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      this.error.value = messageOf(error);
      this.state.value = 'waiting';
      // What is forbidden or unknown stays so for longer.
      this.#again(() => void this.#list(), error instanceof ApiError && error.code < 500 ? 30_000 : undefined);
    }
  }

  #watch(version: string): void {
    const query = new URLSearchParams(this.#query);
    query.set('watch', 'true');
    query.set('allowWatchBookmarks', 'true');
    query.set('resourceVersion', version);
    const socket = openSocket(`${this.#path}?${query.toString()}&console-table=1`);
    this.#socket = socket;
    let latest: string | undefined = version;
    socket.addEventListener('message', ({ data }) => {
      const text = typeof data === 'string' ? data : new TextDecoder().decode(data as ArrayBuffer);
      if (text === '') return;
      this.#failures = 0;
      const event = JSON.parse(text) as { type: string; object: Table & Status };
      // The server has forgotten this version: list again.
      if (event.type === 'ERROR') {
        latest = undefined;
        socket.close();
        return;
      }
      latest = event.object.rows?.[0]?.object?.metadata?.resourceVersion ?? latest;
      if (event.type === 'DELETED') for (const row of rowsOf(event.object)) this.#rows.delete(row.uid);
      else if (event.type !== 'BOOKMARK') this.#take(event.object);
      this.#flushSoon();
    });
    socket.addEventListener('close', () => {
      if (this.#closed.signal.aborted) return;
      const from = latest;
      this.#again(() => (from === undefined || this.#failures > 1 ? void this.#list() : this.#watch(from)));
    });
  }

  #take(table: Table): string[] {
    if (table.columnDefinitions && table.columnDefinitions.length > 0) this.columns.value = table.columnDefinitions;
    const rows = rowsOf(table);
    for (const row of rows) this.#rows.set(row.uid, row);
    return rows.map(({ uid }) => uid);
  }

  #flush(): void {
    this.rows.value = [...this.#rows.values()];
  }

  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    const flush = (): void => {
      this.#flushing = false;
      if (!this.#closed.signal.aborted) this.#flush();
    };
    if (this.#rows.size > MANY_ROWS) setTimeout(flush, MANY_ROWS_MS);
    else requestAnimationFrame(flush);
  }

  #again(work: () => void, waitMs = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)]): void {
    this.#failures++;
    this.#timer = window.setTimeout(work, waitMs);
  }
}

const rowsOf = (table: Table): Row[] =>
  (table.rows ?? []).map(({ cells, object }) => {
    const { uid, name = '', namespace = '', creationTimestamp = '', deletionTimestamp } = object?.metadata ?? {};
    return {
      uid: uid ?? `${namespace}/${name}`,
      name,
      namespace,
      cells,
      created: creationTimestamp,
      deleting: deletionTimestamp !== undefined,
    };
  });
