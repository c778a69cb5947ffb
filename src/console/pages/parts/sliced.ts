/**
 * Work on very many rows, in slices between frames: a generator yields often, and goes on in another task when its time is up.
 * Until it has ended, the previous result is shown.
 */
import { useEffect, useState } from 'preact/hooks';

const SLICE_MS = 10;

export type Sliced<T> = Generator<undefined, T>;

/** @param work is started again when one of `inputs` has changed */
export function useSliced<T>(work: () => Sliced<T>, inputs: readonly unknown[], initial: T): T {
  const [result, setResult] = useState(initial);
  useEffect(() => {
    let ended = false;
    const generator = work();
    const channel = new MessageChannel();
    const go = (): void => {
      if (ended) return;
      const until = performance.now() + SLICE_MS;
      for (;;) {
        const { done, value } = generator.next();
        if (done) return setResult(value);
        if (performance.now() >= until) return channel.port2.postMessage(null);
      }
    };
    channel.port1.onmessage = go;
    // Few rows are done before the page is drawn.
    go();
    return () => {
      ended = true;
      channel.port1.close();
    };
  }, inputs);
  return result;
}

const ROWS_PER_STEP = 500;

export function* filterSliced<T>(items: readonly T[], keep: (item: T) => boolean): Sliced<readonly T[]> {
  const kept: T[] = [];
  for (let from = 0; from < items.length; from += ROWS_PER_STEP) {
    const to = Math.min(items.length, from + ROWS_PER_STEP);
    for (let at = from; at < to; at++) if (keep(items[at]!)) kept.push(items[at]!);
    yield;
  }
  return kept;
}

/** A stable merge sort. */
export function* sortSliced<T>(items: readonly T[], compare: (a: T, b: T) => number): Sliced<readonly T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += ROWS_PER_STEP) {
    runs.push(items.slice(from, from + ROWS_PER_STEP).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [a, b] = [runs[i]!, runs[i + 1]];
      merged.push(b ? yield* mergeSliced(a, b, compare) : a);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeSliced<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Sliced<T[]> {
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    merged.push(compare(a[i]!, b[j]!) <= 0 ? a[i++]! : b[j++]!);
    if (merged.length % ROWS_PER_STEP === 0) yield;
  }
  while (i < a.length) merged.push(a[i++]!);
  while (j < b.length) merged.push(b[j++]!);
  return merged;
}
