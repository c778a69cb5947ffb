/**
 * Work that is usually done at once and sometimes has to wait, such as a lookup in a cache before a call over the network. An
 * `await` costs a turn of the microtask queue even when there is nothing to wait for, which adds up where it is done for
 * every step of every request: `whenDone` goes on at once with a value, and after a promise.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `continueWith` with the value. What either of them throws or rejects with is the caller's, as with `await`. */
export function whenDone<T, R>(value: MaybePromise<T>, continueWith: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(continueWith) : continueWith(value);
}
