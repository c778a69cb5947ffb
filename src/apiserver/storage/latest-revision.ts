/** The newest revision of the store, asked for by every consistent read. */
import type { Store } from '../../etcd/index.ts';
import type { Clock } from '../../kernel/index.ts';

/** With so many reads at a question, the next one waits for more of them. */
const MANY_READS = 4;
/** And so long after the one before: less than what the responses to that many reads take. */
const GATHER_MS = 2;

/**
 * Over a network, one question answers all reads that began before it was sent: a read that comes while a question is under
 * way shares the next one, since the answer to this one may be older than the read. A question costs more than a read, so
 * that under load questions keep a distance; a lone reader never waits for it.
 */
export class LatestRevision {
  readonly #store: Pick<Store, 'revision'>;
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  #asking: Promise<number> | undefined;
  #next: Promise<number> | undefined;
  /** The reads that share the next question, and those that shared the last one. */
  #nextReads = 0;
  #lastReads = 0;
  #lastAsked = -Infinity;

  constructor(store: Pick<Store, 'revision'>, clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#store = store;
    this.#clock = clock;
  }

  ask(): Promise<number> | number {
    this.#nextReads++;
    if (this.#next) return this.#next;
    if (this.#asking) {
      const ask = (): Promise<number> => this.#askLater();
      this.#next = this.#asking.then(ask, ask);
      return this.#next;
    }
    if (this.#gatherMs() > 0) {
      this.#next = this.#askLater();
      return this.#next;
    }
    return this.#ask();
  }

  async #askLater(): Promise<number> {
    const ms = this.#gatherMs();
    if (ms > 0) await this.#clock.sleep(ms);
    return this.#ask();
  }

  #ask(): Promise<number> | number {
    this.#next = undefined;
    this.#lastReads = this.#nextReads;
    this.#nextReads = 0;
    const answer = this.#store.revision();
    if (!(answer instanceof Promise)) return answer;
    this.#lastAsked = this.#clock.monotonic();
    this.#asking = answer.finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  #gatherMs(): number {
    if (this.#lastReads < MANY_READS) return 0;
    return this.#lastAsked + GATHER_MS - this.#clock.monotonic();
  }
}
