/**
 * Time as a component sees it. Nothing outside `kernel/` reads the machine's clock or sets a timer: the real clock and
 * the virtual one implement this interface, so that a whole cluster can run on virtual time.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch; may have a fraction (MicroTime needs it). */
  now(): number;
  /** Milliseconds on a scale that never goes back; only differences mean anything. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `fire` once after `ms` unless cancelled before. A throwing or rejecting `fire` is a defect of the caller. */
  after(ms: number, fire: () => void): Timer;
  /** Calls `fire` every `ms` until cancelled. */
  every(ms: number, fire: () => void): Timer;
  /** A signal that aborts after `ms` with a DeadlineExceeded error, or with `parent`'s reason when that aborts first. */
  deadline(ms: number, parent?: AbortSignal): AbortSignal;
  /** Lets other work of this process go first: for long loops that must not starve the event loop. */
  yield(): Promise<void>;
}

export interface Timer {
  cancel(): void;
}

export class DeadlineExceeded extends Error {
  readonly code = 'deadline-exceeded';

  constructor(readonly afterMs: number) {
    super(`deadline exceeded after ${afterMs} ms`);
    this.name = 'DeadlineExceeded';
  }
}

/** `sleep` in terms of `after`, shared by the clocks. */
export function sleepOn(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal === undefined) return new Promise((resolve) => clock.after(ms, resolve));
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = (): void => {
      timer.cancel();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** `deadline` in terms of `after`, shared by the clocks. */
export function deadlineOn(clock: Pick<Clock, 'after'>, ms: number, parent?: AbortSignal): AbortSignal {
  if (parent?.aborted) return parent;
  const controller = new AbortController();
  const onParentAbort = (): void => {
    timer.cancel();
    controller.abort(parent?.reason);
  };
  const timer = clock.after(ms, () => {
    parent?.removeEventListener('abort', onParentAbort);
    controller.abort(new DeadlineExceeded(ms));
  });
  parent?.addEventListener('abort', onParentAbort, { once: true });
  return controller.signal;
}
