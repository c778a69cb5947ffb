/**
 * Freezes a JSON value with everything in it. A frozen value is assumed to be frozen completely, so shared objects
 * cost nothing. Does not recurse, because another API server may have stored deeply nested objects.
 */
import type { Steps } from './steps.ts';

export function deepFreeze<T>(value: T): T {
  if (!isThawed(value)) return value;
  const work: object[] = [Object.freeze(value)];
  for (let item = work.pop(); item; item = work.pop()) {
    if (Array.isArray(item)) {
      for (let i = 0; i < item.length; i++) freezeInto(work, item[i]);
    } else {
      for (const key in item) freezeInto(work, (item as Record<string, unknown>)[key]);
    }
  }
  return value;
}

/** The same in steps, for a large value. It is not frozen completely before the last step. */
export function* freezeSteps(value: unknown): Steps<void> {
  const work: object[] = isThawed(value) ? [value] : [];
  const done: object[] = [];
  let count = 0;
  for (let item = work.pop(); item; item = work.pop()) {
    done.push(item);
    const children: readonly unknown[] = Array.isArray(item) ? item : Object.values(item);
    for (const child of children) {
      if (isThawed(child)) work.push(child);
      if (++count % CHILDREN_PER_STEP === 0) yield;
    }
  }
  // Those that hold others come last: a frozen value is assumed to be frozen completely.
  while (done.length > 0) {
    Object.freeze(done.pop());
    if (++count % CHILDREN_PER_STEP === 0) yield;
  }
}

const CHILDREN_PER_STEP = 20;

function freezeInto(work: object[], value: unknown): void {
  if (isThawed(value)) work.push(Object.freeze(value));
}

const isThawed = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Object.isFrozen(value);
