/**
 * One instance of equal field sets. Objects that are made alike (the Pods of a ReplicaSet, their status) have the same
 * sets; finding the set that exists is several times faster than making another, and thousands of objects share it.
 */
import { LEAF, SELF, type FieldSet, type FieldSetBuilder } from './field-set.ts';

/** A step towards a set: the members so far, in their order. */
interface Step {
  /** The first continuation stands here, further ones in `others`. */
  element: string;
  below: FieldSet;
  next: Step | undefined;
  others: Map<string, Map<FieldSet, Step>> | undefined;
  set: FieldSet | undefined;
}

const newStep = (): Step => ({ element: '', below: LEAF, next: undefined, others: undefined, set: undefined });

/** Enough for what a cluster's workloads look like; when it is full, everything starts over. */
const MAX_STEPS = 50_000;

let steps = 0;
let root = newStep();

/** The set with these elements, which are in canonical order, and what is below each. */
export function sharedSet(elements: readonly string[], below: readonly FieldSet[]): FieldSet {
  if (steps > MAX_STEPS) {
    root = newStep();
    steps = 0;
  }
  let at = root;
  for (let i = 0; i < elements.length; i++) at = follow(at, elements[i]!, below[i]!);
  return (at.set ??= makeSet(elements, below));
}

function follow(from: Step, element: string, below: FieldSet): Step {
  if (from.next === undefined) {
    from.element = element;
    from.below = below;
    steps++;
    return (from.next = newStep());
  }
  if (from.below === below && from.element === element) return from.next;
  const byElement = (from.others ??= new Map<string, Map<FieldSet, Step>>());
  let byBelow = byElement.get(element);
  if (!byBelow) byElement.set(element, (byBelow = new Map()));
  let next = byBelow.get(below);
  if (!next) {
    steps++;
    byBelow.set(below, (next = newStep()));
  }
  return next;
}

function makeSet(elements: readonly string[], below: readonly FieldSet[]): FieldSet {
  if (elements.length === 0 || (elements.length === 1 && elements[0] === SELF)) return LEAF;
  const set: FieldSetBuilder = {};
  for (let i = 0; i < elements.length; i++) set[elements[i]!] = below[i]!;
  return Object.freeze(set);
}
