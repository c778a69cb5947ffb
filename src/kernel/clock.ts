/**
 * Time as a component sees it. Nothing outside `kernel/` reads the machine's clock or sets a timer: the real clock
 * and the virtual one stand behind this interface, so that a whole cluster can run on virtual time.
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
}

export interface Timer {
  cancel(): void;
}
