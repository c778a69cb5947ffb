/**
 * One instance of equal field sets. Objects that are made alike (the Pods of a ReplicaSet, their status) have the same
 * sets; finding the set that exists is several times faster than making another, and thousands of objects share it.
 */
import { compareText } from '../../base/index.ts';
import type { StructField } from './apply-type.ts';
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
  startOverWhenFull();
  let at = root;
  for (let i = 0; i < elements.length; i++) at = follow(at, elements[i]!, below[i]!);
  return (at.set ??= makeSet(elements, below));
}

/** As `sharedSet`, for fields; `self` when the path to them is a member too. */
export function sharedStruct(
  fields: readonly StructField[],
  below: readonly FieldSet[],
  self: boolean,
): FieldSet | undefined {
  if (fields.length === 0) return self ? LEAF : undefined;
  startOverWhenFull();
  let at = self ? follow(root, SELF, LEAF) : root;
  for (let i = 0; i < fields.length; i++) at = follow(at, fields[i]!.element, below[i]!);
  if (at.set) return at.set;
  const elements = fields.map((field) => field.element);
  return (at.set = self ? makeSet([SELF, ...elements], [LEAF, ...below]) : makeSet(elements, below));
}

/** Puts fields, and what is below each, into canonical order, in place. */
export function sortFields(fields: StructField[], below: FieldSet[]): void {
  for (let i = 1; i < fields.length; i++) {
    const field = fields[i]!;
    const node = below[i]!;
    let at = i;
    while (at > 0 && compareFields(fields[at - 1]!, field) > 0) {
      fields[at] = fields[at - 1]!;
      below[at] = below[at - 1]!;
      at--;
    }
    fields[at] = field;
    below[at] = node;
  }
}

const compareFields = (a: StructField, b: StructField): number =>
  a.order < 0 || b.order < 0 ? compareText(a.name, b.name) : a.order - b.order;

function startOverWhenFull(): void {
  if (steps <= MAX_STEPS) return;
  root = newStep();
  steps = 0;
}

function follow(from: Step, element: string, below: FieldSet): Step {
  if (from.next === undefined) {
    from.element = element;
    from.below = below;
    steps += cost(element);
    return (from.next = newStep());
  }
  if (from.below === below && from.element === element) return from.next;
  const byElement = (from.others ??= new Map<string, Map<FieldSet, Step>>());
  let byBelow = byElement.get(element);
  if (!byBelow) byElement.set(element, (byBelow = new Map()));
  let next = byBelow.get(below);
  if (!next) {
    steps += cost(element);
    byBelow.set(below, (next = newStep()));
  }
  return next;
}

/** Long keys count for more, so that they cannot fill the memory. */
const cost = (element: string): number => 1 + (element.length >> 6);

/** The texts of shared sets; undefined until somebody asks. */
const texts = new WeakMap<FieldSet, string | undefined>();

/** A set as JSON. Writing it is most of the work of encoding a small object, and sets that are shared are written once. */
export function fieldSetText(set: FieldSet): string {
  const known = texts.get(set);
  if (known !== undefined) return known;
  const text = JSON.stringify(set);
  if (texts.has(set)) {
    texts.set(set, text);
    steps += cost(text);
  }
  return text;
}

function makeSet(elements: readonly string[], below: readonly FieldSet[]): FieldSet {
  if (elements.length === 0 || (elements.length === 1 && elements[0] === SELF)) return LEAF;
  const set: FieldSetBuilder = {};
  for (let i = 0; i < elements.length; i++) set[elements[i]!] = below[i]!;
  texts.set(set, undefined);
  return Object.freeze(set);
}
