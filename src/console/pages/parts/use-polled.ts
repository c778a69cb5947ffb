import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../api/request.ts';

interface Polled<Value> {
  /** The newest answer; it stays while later reads fail. */
  readonly value: Value | undefined;
  /** Why the newest read failed. */
  readonly error: string | undefined;
  /** Shows an answer that came another way. */
  readonly show: (value: Value) => void;
}

/** Reads now, then again and again while the page is visible. Begins anew when one of `on` changes. */
export function usePolled<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  { everyMs, on }: { readonly everyMs: number; readonly on: readonly unknown[] },
): Polled<Value> {
  const [value, setValue] = useState<Value>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    const ended = new AbortController();
    const again = (): void => {
      if (document.hidden) return;
      read(ended.signal).then(
        (next) => {
          if (ended.signal.aborted) return;
          setValue(() => next);
          setError(undefined);
        },
        (problem: unknown) => {
          if (!ended.signal.aborted) setError(messageOf(problem));
        },
      );
    };
    again();
    const timer = setInterval(again, everyMs);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, on);
  return { value, error, show: (next) => setValue(() => next) };
}
