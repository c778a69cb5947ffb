/**
 * Interned field sets: one instance of equal sets. Objects of one template (the Pods of a ReplicaSet) have equal
 * sets. Finding the existing instance is several times faster than building another, and thousands of objects share
 * it. Sets are found by a trie over their members.
 */
import { compareText, type Steps, stringifySteps } from '../../base/index.ts';
import type { StructField } from './apply-type.ts';
import { LEAF, SELF, type FieldSet, type FieldSetBuilder } from './field-set.ts';

/** A node of the trie: the set with the members on the path from the root. */
interface TrieNode {
  /** The first child is stored inline, further ones in `others`. */
  element: string;
  below: FieldSet;
  next: TrieNode | undefined;
  others: Map<string, Map<FieldSet, TrieNode>> | undefined;
  set: FieldSet | undefined;
}

const newNode = (): TrieNode => ({ element: '', below: LEAF, next: undefined, others: undefined, set: undefined });

/** Enough for the variety of objects in a cluster. A full trie is cleared. */
const MAX_NODES = 50_000;

let nodes = 0;
let root = newNode();

/** The set with these elements, in canonical order, and their subsets. */
export function internSet(elements: readonly string[], below: readonly FieldSet[]): FieldSet {
  clearIfFull();
  let at = root;
  for (let i = 0; i < elements.length; i++) at = follow(at, elements[i]!, below[i]!);
  return (at.set ??= makeSet(elements, below));
}

/** Like `internSet`, for the fields of a struct. `self`: the path of the struct is a member too. */
export function internStructSet(
  fields: readonly StructField[],
  below: readonly FieldSet[],
  self: boolean,
): FieldSet | undefined {
  if (fields.length === 0) return self ? LEAF : undefined;
  clearIfFull();
  let at = self ? follow(root, SELF, LEAF) : root;
  for (let i = 0; i < fields.length; i++) at = follow(at, fields[i]!.element, below[i]!);
  if (at.set) return at.set;
  const elements = fields.map((field) => field.element);
  return (at.set = self ? makeSet([SELF, ...elements], [LEAF, ...below]) : makeSet(elements, below));
}

/** Sorts fields and their subsets into canonical order, in place. */
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

function clearIfFull(): void {
  if (nodes <= MAX_NODES) return;
  root = newNode();
  nodes = 0;
}

function follow(from: TrieNode, element: string, below: FieldSet): TrieNode {
  if (from.next === undefined) {
    from.element = element;
    from.below = below;
    nodes += cost(element);
    return (from.next = newNode());
  }
  if (from.below === below && from.element === element) return from.next;
  const byElement = (from.others ??= new Map<string, Map<FieldSet, TrieNode>>());
  let byBelow = byElement.get(element);
  if (!byBelow) byElement.set(element, (byBelow = new Map()));
  let next = byBelow.get(below);
  if (!next) {
    nodes += cost(element);
    byBelow.set(below, (next = newNode()));
  }
  return next;
}

/** Long keys count for more, which bounds the memory. */
const cost = (element: string): number => 1 + (element.length >> 6);

/** The JSON of sets that were asked for. */
const jsonTexts = new WeakMap<FieldSet, string>();

/** Stands for the text of a set that was asked for once. */
const ASKED_ONCE = '';

/**
 * A set as JSON: encoding it is most of the work of encoding a small object. It is kept from the second time on, because sets that
 * name something of one object only, such as the address of a pod, are as long as those that thousands share.
 */
export function fieldSetText(set: FieldSet): string {
  const known = jsonTexts.get(set);
  if (known) return known;
  const text = JSON.stringify(set);
  jsonTexts.set(set, known === ASKED_ONCE ? text : ASKED_ONCE);
  if (known === ASKED_ONCE) nodes += cost(text);
  return text;
}

/** The same in steps, for a large set. */
export function* fieldSetTextSteps(set: FieldSet): Steps<string> {
  const known = jsonTexts.get(set);
  if (known) return known;
  const text = yield* stringifySteps(set);
  jsonTexts.set(set, text);
  return text;
}

/** Keeps the JSON of a large set, which takes long to encode. */
export function rememberFieldSetText(set: FieldSet, text: string): void {
  jsonTexts.set(set, text);
}

function makeSet(elements: readonly string[], below: readonly FieldSet[]): FieldSet {
  if (elements.length === 0 || (elements.length === 1 && elements[0] === SELF)) return LEAF;
  const set: FieldSetBuilder = {};
  for (let i = 0; i < elements.length; i++) set[elements[i]!] = below[i]!;
  return Object.freeze(set);
}
