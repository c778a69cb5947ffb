/** A queue with one reader, which iterates it. Values pushed before `end` are still read; a failure is read at once. */
export class EventStream<T> implements AsyncIterable<T> {
  #values: T[] = [];
  #head = 0;
  #reader: { resolve(result: IteratorResult<T, undefined>): void; reject(error: unknown): void } | undefined;
  #end: { error?: unknown } | undefined;
  readonly #onClose: () => void;

  /** `onClose` is called once, when the reader stops, the stream ends or fails. */
  constructor(onClose: () => void = () => {}) {
    this.#onClose = onClose;
  }

  /** The number of unread values. */
  get length(): number {
    return this.#values.length - this.#head;
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  push(value: T): void {
    if (this.#end !== undefined) return;
    if (this.#reader === undefined) {
      this.#values.push(value);
      return;
    }
    const reader = this.#reader;
    this.#reader = undefined;
    reader.resolve({ value, done: false });
  }

  end(): void {
    this.#close({});
  }

  fail(error: unknown): void {
    this.#values = [];
    this.#head = 0;
    this.#close({ error });
  }

  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return {
      next: () => this.#next(),
      return: () => {
        this.#close({});
        return Promise.resolve({ value: undefined, done: true });
      },
    };
  }

  #next(): Promise<IteratorResult<T, undefined>> {
    if (this.length > 0) {
      const value = this.#values[this.#head++] as T;
      if (this.#head === this.#values.length) {
        this.#values = [];
        this.#head = 0;
      }
      return Promise.resolve({ value, done: false });
    }
    if (this.#end === undefined) return new Promise((resolve, reject) => (this.#reader = { resolve, reject }));
    return 'error' in this.#end ? Promise.reject(this.#end.error) : Promise.resolve({ value: undefined, done: true });
  }

  #close(end: { error?: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    const reader = this.#reader;
    this.#reader = undefined;
    if ('error' in end) reader?.reject(end.error);
    else reader?.resolve({ value: undefined, done: true });
    this.#onClose();
  }
}
