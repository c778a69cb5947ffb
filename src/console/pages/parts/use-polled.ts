import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/request.ts';

interface Polled<Value> {
  /** The newest answer; it stays while later reads fail. */
  readonly value: Value | undefined;
  /** Why the newest read failed. */
  readonly error: string | undefined;
  /** Shows an answer that came another way. */
  readonly show: (value: Value) => void;
}

interface PollOptions {
  readonly everyMs: number;
  /** The pause before the second read; default `everyMs`. */
  readonly secondMs?: number;
  /** Begins anew when one of these changes. */
  readonly on: readonly unknown[];
}

/** While nothing changes and nobody touches the page, the pauses grow up to this many times. */
const SLOWEST = 4;
const GROWTH = 1.5;

/**
 * Reads now, then again and again while the page is visible; less often while the answers stay the same. What the API server lets
 * watch is watched instead.
 */
export function usePolled<Value>(
  read: (signal: AbortSignal, last: Value | undefined) => Promise<Value>,
  { everyMs, secondMs = everyMs, on }: PollOptions,
): Polled<Value> {
  const [value, setValue] = useState<Value>();
  const [error, setError] = useState<string>();
  const shown = useRef<{ readonly value: Value; readonly text: string }>(undefined);
  const show = (next: Value): void => {
    shown.current = { value: next, text: JSON.stringify(next) };
    setValue(() => next);
  };
  useEffect(() => {
    const ended = new AbortController();
    let [timer, waitMs, readAt] = [0, everyMs, 0];
    let [isReading, isFirst] = [false, true];
    shown.current = undefined;
    const again = async (): Promise<void> => {
      clearTimeout(timer);
      if (document.hidden || isReading) return;
      isReading = true;
      readAt = performance.now();
      try {
        const next = await read(ended.signal, shown.current?.value);
        if (ended.signal.aborted) return;
        const isSame = shown.current?.text === JSON.stringify(next);
        waitMs = isSame ? Math.min(waitMs * GROWTH, everyMs * SLOWEST) : everyMs;
        if (!isSame) show(next);
        setError(undefined);
      } catch (problem) {
        if (ended.signal.aborted) return;
        waitMs = Math.min(waitMs * GROWTH, everyMs * SLOWEST);
        setError(messageOf(problem));
      } finally {
        isReading = false;
      }
      timer = window.setTimeout(() => void again(), isFirst ? secondMs : waitMs);
      isFirst = false;
    };
    /** Somebody looks or works here: what they see is at most one usual pause old. */
    const attend = (): void => {
      if (waitMs === everyMs && !document.hidden && performance.now() - readAt < everyMs) return;
      waitMs = everyMs;
      clearTimeout(timer);
      if (!document.hidden)
        timer = window.setTimeout(() => void again(), Math.max(0, readAt + everyMs - performance.now()));
    };
    const { signal } = ended;
    for (const event of ['pointerdown', 'keydown', 'focus']) addEventListener(event, attend, { signal, passive: true });
    document.addEventListener('visibilitychange', attend, { signal });
    void again();
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, on);
  return { value, error, show };
}
