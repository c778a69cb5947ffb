import { errorFromWatch } from './errors.ts';
import type { WatchEvent } from './transport.ts';

const END: IteratorReturnResult<undefined> = { value: undefined, done: true };

/**
 * The events of a watch, which is opened when the first one is asked for. Not a generator, which would take several more
 * promises for each event of each informer: bookmarks and Leases of nodes are most of what an idle cluster does.
 */
export class WatchEvents<T> implements AsyncIterator<WatchEvent<T>, undefined> {
  readonly #open: () => Promise<AsyncIterable<WatchEvent<unknown>>>;
  readonly #named: (object: unknown) => T;
  #events: AsyncIterator<WatchEvent<unknown>> | undefined;
  #ended = false;

  /** @param named the object of an event as its reader wants it */
  constructor(open: () => Promise<AsyncIterable<WatchEvent<unknown>>>, named: (object: unknown) => T) {
    this.#open = open;
    this.#named = named;
  }

  next(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    if (this.#ended) return Promise.resolve(END);
    if (this.#events === undefined) return this.#first();
    return this.#events.next().then(this.#received, this.#failed);
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#ended = true;
    await this.#events?.return?.();
    return END;
  }

  async #first(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    try {
      this.#events = (await this.#open())[Symbol.asyncIterator]();
    } catch (error) {
      return this.#failed(error);
    }
    if (this.#ended) await this.return();
    return this.next();
  }

  readonly #received = (
    result: IteratorResult<WatchEvent<unknown>, unknown>,
  ): IteratorResult<WatchEvent<T>, undefined> | Promise<never> => {
    if (result.done) {
      this.#ended = true;
      return END;
    }
    const { type, object } = result.value;
    if (type === 'ERROR') return this.return().then(() => Promise.reject(errorFromWatch(object)));
    const named = this.#named(object);
    return object === named
      ? (result as IteratorYieldResult<WatchEvent<T>>)
      : { value: { type, object: named }, done: false };
  };

  readonly #failed = (error: unknown): never => {
    this.#ended = true;
    throw error;
  };
}
