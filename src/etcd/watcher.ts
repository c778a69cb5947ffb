import type { Change } from './apply-txn.ts';
import { failure } from './errors.ts';
import type { RevisionRecord, WatchSource } from './history.ts';
import type { Watch, WatchBatch, WatchEvent, WatchRequest } from './store.ts';
import { type Selection, selects } from './view.ts';

const EVENTS_PER_BATCH = 1000;

interface Waiting {
  resolve(result: IteratorResult<WatchBatch>): void;
  reject(error: unknown): void;
}

const finished: IteratorResult<WatchBatch> = { done: true, value: undefined };

/**
 * One watch. While its reader waits, new revisions are delivered at once; while the reader is busy, the watcher only
 * remembers the revision from which to read the history, so a slow reader costs no memory.
 */
export class Watcher implements Watch, AsyncIterator<WatchBatch> {
  readonly wantsProgress: boolean;
  readonly #startRevision: number;
  readonly #variant: string;
  /** The first revision that may hold undelivered events; meaningless while the watcher has caught up. */
  #position: number;
  #behind: boolean;
  #progressRequested = false;
  #waiting: Waiting | undefined;
  #ended = false;
  readonly #request: WatchRequest;
  readonly #selected: Selection;
  readonly #source: WatchSource;
  readonly #onEnd: () => void;

  constructor(request: WatchRequest, selected: Selection, source: WatchSource, onEnd: () => void) {
    this.#request = request;
    this.#selected = selected;
    this.#source = source;
    this.#onEnd = onEnd;
    this.#startRevision = request.startRevision ? request.startRevision : source.published + 1;
    this.#position = this.#startRevision;
    this.#behind = this.#startRevision <= source.published;
    this.wantsProgress = request.progressNotify ?? false;
    this.#variant = `${request.prevKv ? 'prev' : ''}:${request.filters?.join() ?? ''}`;
  }

  [Symbol.asyncIterator](): AsyncIterator<WatchBatch> {
    return this;
  }

  next(): Promise<IteratorResult<WatchBatch>> {
    if (this.#ended) return Promise.resolve(finished);
    if (this.#behind) return this.#catchUp();
    if (this.#progressRequested) return Promise.resolve({ done: false, value: this.#progress() });
    return new Promise((resolve, reject) => (this.#waiting = { resolve, reject }));
  }

  return(): Promise<IteratorResult<WatchBatch>> {
    this.cancel();
    return Promise.resolve(finished);
  }

  requestProgress(): void {
    this.#progressRequested = true;
    if (this.#behind) return;
    const waiting = this.#take();
    if (waiting !== undefined) waiting.resolve({ done: false, value: this.#progress() });
  }

  cancel(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    this.#take()?.resolve(finished);
  }

  /** Published records of the watched range; equal watchers share the batch through `batches`. */
  offer(records: readonly RevisionRecord[], batches: Map<string, WatchBatch>): void {
    const last = records.at(-1)!.revision;
    if (this.#behind || last < this.#startRevision) return;
    const waiting = this.#take();
    if (waiting === undefined) {
      this.#behind = true;
      this.#position = Math.max(records[0]!.revision, this.#startRevision);
      return;
    }
    let batch: WatchBatch | undefined;
    if (records[0]!.revision >= this.#startRevision) {
      batch = batches.get(this.#variant);
      if (batch === undefined) batches.set(this.#variant, (batch = this.batchOf(records)));
    } else batch = this.batchOf(records);
    if (batch.events.length > 0) waiting.resolve({ done: false, value: batch });
    else this.#waiting = waiting;
  }

  batchOf(records: readonly RevisionRecord[]): WatchBatch {
    const events: WatchEvent[] = [];
    for (const record of records) this.#collect(record, events);
    return { revision: this.#source.published, events };
  }

  #collect(record: RevisionRecord, events: WatchEvent[]): void {
    if (record.revision < this.#startRevision) return;
    for (const change of record.changes) {
      if (!selects(this.#selected, change.kv.key)) continue;
      if (this.#request.filters?.includes(change.type === 'put' ? 'noput' : 'nodelete')) continue;
      events.push(eventOf(change, this.#request.prevKv ?? false));
    }
  }

  async #catchUp(): Promise<IteratorResult<WatchBatch>> {
    const source = this.#source;
    for (;;) {
      if (this.#ended) return finished;
      if (this.#position < source.compactRevision) {
        this.cancel();
        throw failure('compacted', { compactRevision: source.compactRevision });
      }
      if (this.#position >= source.history.firstLoaded) break;
      await source.history.load(this.#position);
    }
    const events: WatchEvent[] = [];
    let revision = source.published;
    source.history.visit(this.#position, (record) => {
      if (record.revision > source.published) return false;
      this.#collect(record, events);
      revision = record.revision;
      return events.length < EVENTS_PER_BATCH;
    });
    this.#position = revision + 1;
    this.#behind = revision < source.published;
    if (events.length > 0) return { done: false, value: { revision, events } };
    return this.next();
  }

  #progress(): WatchBatch {
    this.#progressRequested = false;
    return { revision: this.#source.published, events: [] };
  }

  #take(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}

function eventOf(change: Change, withPrevious: boolean): WatchEvent {
  return withPrevious && change.prevKv !== undefined
    ? { type: change.type, kv: change.kv, prevKv: change.prevKv }
    : { type: change.type, kv: change.kv };
}
