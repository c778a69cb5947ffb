import type { Clock, Timer } from '../kernel/index.ts';
import type { RevisionRecord, WatchSource } from './history.ts';
import type { Watch, WatchRequest } from './store.ts';
import { selection, type Selection, selects } from './view.ts';
import { Watcher } from './watcher.ts';

/** Watchers of the same range, which share the filtering of events. */
interface WatchGroup {
  name: string;
  selected: Selection;
  watchers: Set<Watcher>;
}

const PROGRESS_INTERVAL_MS = 10 * 60_000;

/** Delivers every published revision to the watches of its keys. */
export class WatchHub {
  readonly #byKey = new Map<string, WatchGroup>();
  readonly #byRange = new Map<string, WatchGroup>();
  #progressTimer: Timer | undefined;
  #closed = false;
  #size = 0;
  readonly #source: WatchSource;
  readonly #clock: Clock;

  constructor(source: WatchSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  get watcherCount(): number {
    return this.#size;
  }

  watch(request: WatchRequest): Watch {
    const selected = selection(request.key, request.rangeEnd);
    const group = this.#groupOf(request, selected);
    const watcher = new Watcher(request, selected, this.#source, () => this.#remove(group, watcher));
    if (this.#closed) watcher.cancel();
    else {
      group.watchers.add(watcher);
      this.#size++;
      this.#progressTimer ??= this.#clock.every(PROGRESS_INTERVAL_MS, () => this.#notifyProgress());
    }
    return watcher;
  }

  /** Records must be in the history, and `source.published` must count them, before they are published. */
  publish(records: readonly RevisionRecord[]): void {
    if (this.#size === 0) return;
    if (this.#byKey.size > 0) this.#publishToKeys(records);
    for (const group of this.#byRange.values()) {
      const concerned = records.filter((record) =>
        record.changes.some((change) => selects(group.selected, change.kv.key)),
      );
      if (concerned.length > 0) offer(group, concerned);
    }
  }

  close(): void {
    this.#closed = true;
    for (const groups of [this.#byKey, this.#byRange]) {
      for (const group of groups.values()) for (const watcher of group.watchers) watcher.cancel();
    }
  }

  #publishToKeys(records: readonly RevisionRecord[]): void {
    const concerned = new Map<WatchGroup, RevisionRecord[]>();
    for (const record of records) {
      for (const change of record.changes) {
        const group = this.#byKey.get(change.kv.key);
        if (group === undefined) continue;
        const list = concerned.get(group);
        if (list === undefined) concerned.set(group, [record]);
        else if (list.at(-1) !== record) list.push(record);
      }
    }
    for (const [group, list] of concerned) offer(group, list);
  }

  #notifyProgress(): void {
    for (const groups of [this.#byKey, this.#byRange]) {
      for (const group of groups.values()) {
        for (const watcher of group.watchers) if (watcher.wantsProgress) watcher.requestProgress();
      }
    }
  }

  #groupOf(request: WatchRequest, selected: Selection): WatchGroup {
    const groups = selected.single === undefined ? this.#byRange : this.#byKey;
    const name = selected.single ?? `${request.key.length}:${request.key}${request.rangeEnd ?? ''}`;
    let group = groups.get(name);
    if (group === undefined) groups.set(name, (group = { name, selected, watchers: new Set() }));
    return group;
  }

  #remove(group: WatchGroup, watcher: Watcher): void {
    if (!group.watchers.delete(watcher)) return;
    this.#size--;
    if (group.watchers.size === 0)
      (group.selected.single === undefined ? this.#byRange : this.#byKey).delete(group.name);
    if (this.#size > 0) return;
    this.#progressTimer?.cancel();
    this.#progressTimer = undefined;
  }
}

function offer(group: WatchGroup, records: readonly RevisionRecord[]): void {
  const batches = new Map<string, ReturnType<Watcher['batchOf']>>();
  for (const watcher of group.watchers) watcher.offer(records, batches);
}
