/**
 * Field sets: sets of field paths, in the form of managedFields (FieldsV1), an object whose keys are path elements. A
 * path is a member if it ends in an empty object or in one with the key `.`. Sets are immutable and share parts.
 * Every set made here has its keys in canonical order.
 */
import { isRecord } from '../../base/index.ts';
import { compareElements, elementText, parseElement, type ParsedElement } from './path-element.ts';

export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** A set under construction. */
export interface FieldSetBuilder {
  [element: string]: FieldSet;
}

/** A member without members below it. */
export const LEAF: FieldSet = Object.freeze({});

export const SELF = '.';

function isLeaf(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether the path that leads to this node is itself in the set. */
export const isMember = (node: FieldSet): boolean => node[SELF] !== undefined || isLeaf(node);

/** Whether there are members below this node. */
export function hasChildren(node: FieldSet): boolean {
  for (const key in node) if (key !== SELF) return true;
  return false;
}

/** The union. Returns `a` itself if it contains `b`. */
export function union(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (!a || !b) return a ?? b;
  return unionNodes(a, b, true);
}

function unionNodes(a: FieldSet, b: FieldSet, root = false): FieldSet {
  if (a === b || (!root && isLeaf(b) && isMember(a))) return a;
  if (!root && isLeaf(a)) return isMember(b) ? b : { [SELF]: LEAF, ...b };
  let merged: FieldSetBuilder | undefined;
  let added = false;
  for (const key in b) {
    const mine = a[key];
    const theirs = b[key]!;
    const both = mine === undefined ? theirs : unionNodes(mine, theirs);
    if (both === mine) continue;
    merged ??= { ...a };
    merged[key] = both;
    if (mine === undefined) added = true;
  }
  if (!root && isLeaf(b) && !isMember(a)) {
    merged = { ...a, [SELF]: LEAF };
    added = true;
  }
  if (!merged) return a;
  return added ? inOrder(merged) : merged;
}

/** The same set with its keys (at this level) in canonical order. */
export function inOrder(node: FieldSet): FieldSet {
  const elements: ParsedElement[] = [];
  for (const key in node) {
    if (key === SELF) continue;
    const element = parseElement(key);
    if (element) elements.push(element);
  }
  elements.sort(compareElements);
  const ordered: FieldSetBuilder = {};
  if (node[SELF]) ordered[SELF] = LEAF;
  for (const { text } of elements) ordered[text] = node[text]!;
  return ordered;
}

/** The paths of `a` that are not in `b`. Undefined if there are none; `a` itself if nothing is removed. */
export function difference(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (!a || !b) return a;
  return differenceOf(a, b, true);
}

function differenceOf(a: FieldSet, b: FieldSet, root = false): FieldSet | undefined {
  if (!root && isLeaf(a)) return isMember(b) ? undefined : a;
  let left: FieldSetBuilder | undefined;
  for (const key in b) {
    const mine = a[key];
    if (mine === undefined) continue;
    const rest = differenceOf(mine, b[key]!);
    if (rest === mine) continue;
    left ??= { ...a };
    if (rest === undefined) delete left[key];
    else left[key] = rest;
  }
  // A leaf of `b` removes this node, but nothing below it.
  if (!root && isLeaf(b) && a[SELF] !== undefined) {
    left = { ...a };
    delete left[SELF];
  }
  return left ? normalizeNode(left) : a;
}

/** Normalizes a node after a removal: without children it is a leaf, or nothing. */
function normalizeNode(node: FieldSet): FieldSet | undefined {
  if (hasChildren(node)) return node;
  return node[SELF] ? LEAF : undefined;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet | undefined {
  let both: FieldSetBuilder | undefined;
  for (const key in a) {
    const theirs = b[key];
    if (key === SELF || theirs === undefined) continue;
    const shared = intersectionOf(a[key]!, theirs);
    if (shared) (both ??= {})[key] = shared;
  }
  return both;
}

function intersectionOf(a: FieldSet, b: FieldSet): FieldSet | undefined {
  const below = intersection(a, b);
  if (!isMember(a) || !isMember(b)) return below;
  return below ? { [SELF]: LEAF, ...below } : LEAF;
}

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) {
    at = at[element];
    if (!at) return false;
  }
  return path.length > 0 && isMember(at);
}

export function setOfPaths(paths: readonly (readonly string[])[]): FieldSet {
  let set: FieldSet = LEAF;
  for (const path of paths) {
    const single = path.reduceRight<FieldSet>((below, element) => ({ [element]: below }), LEAF);
    set = isLeaf(set) ? single : unionNodes(set, single, true);
  }
  return set;
}

/** Visits every member, parents before children. */
export function eachPath(
  set: FieldSet,
  visit: (path: readonly string[]) => void,
  prefix: readonly string[] = [],
): void {
  const below: string[] = [];
  for (const key in set) {
    if (key === SELF) continue;
    const node = set[key]!;
    if (isMember(node)) visit([...prefix, key]);
    if (hasChildren(node)) below.push(key);
  }
  for (const key of below) eachPath(set[key]!, visit, [...prefix, key]);
}

export const pathText = (path: readonly string[]): string => path.map(elementText).join('');

/** Parses the FieldsV1 of a client into canonical form. Throws an Error. */
export function parseFieldSet(fields: unknown): FieldSet | undefined {
  if (fields === undefined || fields === null) return undefined;
  if (!isRecord(fields)) throw new Error('expected an object');
  const node = parseNode(fields);
  return isLeaf(node) || !hasChildren(node) ? undefined : node;
}

function parseNode(fields: Record<string, unknown>): FieldSet {
  const read: FieldSetBuilder = {};
  let self = false;
  for (const [key, value] of Object.entries(fields)) {
    if (key === SELF) {
      self = true;
      continue;
    }
    const element = parseElement(key);
    if (!element) continue;
    if (value !== null && !isRecord(value)) throw new Error('expected an object');
    read[element.text] = value === null ? LEAF : parseNode(value);
  }
  if (self) read[SELF] = LEAF;
  // A node without children is a member, also without a `.`.
  return hasChildren(read) ? inOrder(read) : LEAF;
}
