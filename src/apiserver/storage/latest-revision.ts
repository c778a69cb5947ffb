/** The newest revision of the store, asked for by every consistent read. */
import type { Store } from '../../etcd/index.ts';

/**
 * Over a network, one question answers all reads that began before it was sent: a read that comes while a question is under
 * way shares the next one, since the answer to this one may be older than the read.
 */
export class LatestRevision {
  readonly #store: Pick<Store, 'revision'>;
  #asking: Promise<number> | undefined;
  #next: Promise<number> | undefined;

  constructor(store: Pick<Store, 'revision'>) {
    this.#store = store;
  }

  ask(): Promise<number> | number {
    if (this.#next) return this.#next;
    if (this.#asking) {
      const ask = (): Promise<number> => this.#ask();
      this.#next = this.#asking.then(ask, ask);
      return this.#next;
    }
    const answer = this.#store.revision();
    return answer instanceof Promise ? this.#track(answer) : answer;
  }

  #ask(): Promise<number> {
    this.#next = undefined;
    return this.#track(Promise.resolve(this.#store.revision()));
  }

  #track(answer: Promise<number>): Promise<number> {
    this.#asking = answer.finally(() => (this.#asking = undefined));
    return this.#asking;
  }
}
