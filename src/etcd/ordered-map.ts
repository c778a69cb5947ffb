/**
 * A persistent ordered map: `set` and `delete` return a new map that shares all but one path of nodes with the old
 * one, so keeping an old version (a snapshot, a fork, the state at a revision, a transaction that may be abandoned)
 * costs nothing. A B-tree, because ranges are read far more often than single entries are written.
 */
const MAX_ENTRIES = 32;

type Key = string | number | bigint;

interface Leaf<K, V> {
  readonly keys: readonly K[];
  readonly values: readonly V[];
  readonly children: undefined;
  readonly size: number;
}

interface Branch<K, V> {
  /** `keys[i]` is the smallest key below `children[i]`. */
  readonly keys: readonly K[];
  readonly children: readonly Node<K, V>[];
  readonly size: number;
}

type Node<K, V> = Leaf<K, V> | Branch<K, V>;

export class OrderedMap<K extends Key, V> {
  readonly #root: Node<K, V>;

  private constructor(root: Node<K, V>) {
    this.#root = root;
  }

  static empty<K extends Key, V>(): OrderedMap<K, V> {
    return new OrderedMap<K, V>(leaf([], []));
  }

  get size(): number {
    return this.#root.size;
  }

  get(key: K): V | undefined {
    let node = this.#root;
    while (node.children !== undefined) node = node.children[childIndex(node.keys, key)]!;
    const index = lowerBound(node.keys, key);
    return node.keys[index] === key ? node.values[index] : undefined;
  }

  has(key: K): boolean {
    let node = this.#root;
    while (node.children !== undefined) node = node.children[childIndex(node.keys, key)]!;
    return node.keys[lowerBound(node.keys, key)] === key;
  }

  set(key: K, value: V): OrderedMap<K, V> {
    const inserted = insert(this.#root, key, value);
    return new OrderedMap(isPair(inserted) ? branch(inserted) : inserted);
  }

  delete(key: K): OrderedMap<K, V> {
    const root = remove(this.#root, key);
    if (root === this.#root) return this;
    return new OrderedMap(collapse(root));
  }

  /** Entries from `start` (inclusive) to `end` (exclusive; absent: to the last), until `visit` returns false. */
  scan(start: K | undefined, end: K | undefined, visit: (value: V, key: K) => boolean | void): void {
    visitRange(this.#root, start, end, visit);
  }

  /** As `scan`, from the greatest key down. */
  scanBackwards(start: K | undefined, end: K | undefined, visit: (value: V, key: K) => boolean | void): void {
    visitRangeBackwards(this.#root, start, end, visit);
  }

  /** The number of keys in [start, end), without visiting them. */
  count(start: K | undefined, end: K | undefined): number {
    const below = (bound: K | undefined, otherwise: number): number =>
      bound === undefined ? otherwise : rank(this.#root, bound);
    return Math.max(0, below(end, this.size) - below(start, 0));
  }

  first(): [K, V] | undefined {
    let found: [K, V] | undefined;
    this.scan(undefined, undefined, (value, key) => {
      found = [key, value];
      return false;
    });
    return found;
  }

  /** Everything at or after `start`. */
  from(start: K): OrderedMap<K, V> {
    return new OrderedMap(collapse(dropBelow(this.#root, start)));
  }
}

function leaf<K, V>(keys: K[], values: V[]): Leaf<K, V> {
  return { keys, values, children: undefined, size: keys.length };
}

function branch<K, V>(children: readonly Node<K, V>[]): Branch<K, V> {
  let size = 0;
  for (const child of children) size += child.size;
  return { keys: firstKeys(children), children, size };
}

function firstKeys<K, V>(children: readonly Node<K, V>[]): K[] {
  return children.map((child) => child.keys[0]!);
}

function lowerBound<K extends Key>(keys: readonly K[], key: K): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function childIndex<K extends Key>(keys: readonly K[], key: K): number {
  const index = lowerBound(keys, key);
  if (index < keys.length && keys[index] === key) return index;
  return Math.max(0, index - 1);
}

/** One node, or two where it had to be split. */
type Inserted<K, V> = Node<K, V> | readonly [Node<K, V>, Node<K, V>];

function insert<K extends Key, V>(node: Node<K, V>, key: K, value: V): Inserted<K, V> {
  return node.children === undefined ? insertIntoLeaf(node, key, value) : insertIntoBranch(node, key, value);
}

function insertIntoBranch<K extends Key, V>(node: Branch<K, V>, key: K, value: V): Inserted<K, V> {
  const index = childIndex(node.keys, key);
  const inserted = insert(node.children[index]!, key, value);
  const children = node.children.slice();
  if (!isPair(inserted)) {
    const size = node.size + inserted.size - children[index]!.size;
    children[index] = inserted;
    return { keys: inserted.keys[0] === node.keys[index] ? node.keys : firstKeys(children), children, size };
  }
  children.splice(index, 1, inserted[0], inserted[1]);
  if (children.length <= MAX_ENTRIES) return branch(children);
  const cut = splitPoint(children.length, index);
  return [branch(children.slice(0, cut)), branch(children.slice(cut))];
}

function insertIntoLeaf<K extends Key, V>(node: Leaf<K, V>, key: K, value: V): Inserted<K, V> {
  const index = lowerBound(node.keys, key);
  if (node.keys[index] === key) {
    const values = node.values.slice();
    values[index] = value;
    return { keys: node.keys, values, children: undefined, size: node.size };
  }
  const keys = withInserted(node.keys, index, key);
  const values = withInserted(node.values, index, value);
  if (keys.length <= MAX_ENTRIES) return leaf(keys, values);
  const cut = splitPoint(keys.length, index);
  return [leaf(keys.slice(0, cut), values.slice(0, cut)), leaf(keys.slice(cut), values.slice(cut))];
}

function isPair<K, V>(inserted: Inserted<K, V>): inserted is readonly [Node<K, V>, Node<K, V>] {
  return Array.isArray(inserted);
}

function withInserted<T>(list: readonly T[], index: number, item: T): T[] {
  const longer = list.slice(0, index);
  longer.push(item);
  for (let i = index; i < list.length; i++) longer.push(list[i]!);
  return longer;
}

/** Appending at the end is the common case (revisions, generated names): keep the left node full then. */
function splitPoint(length: number, inserted: number): number {
  return inserted >= length - 2 ? length - 2 : length >>> 1;
}

function remove<K extends Key, V>(node: Node<K, V>, key: K): Node<K, V> {
  if (node.children !== undefined) {
    const index = childIndex(node.keys, key);
    const child = node.children[index]!;
    const replaced = remove(child, key);
    if (replaced === child) return node;
    const children = node.children.slice();
    if (replaced.size === 0) children.splice(index, 1);
    else children[index] = replaced;
    mergeNeighbours(children, index);
    return branch(children);
  }
  const index = lowerBound(node.keys, key);
  if (node.keys[index] !== key) return node;
  const keys = node.keys.slice();
  const values = node.values.slice();
  keys.splice(index, 1);
  values.splice(index, 1);
  return leaf(keys, values);
}

function mergeNeighbours<K extends Key, V>(children: Node<K, V>[], index: number): void {
  for (const at of [index, index - 1]) {
    const left = children[at];
    const right = children[at + 1];
    if (left === undefined || right === undefined) continue;
    if (left.keys.length + right.keys.length > MAX_ENTRIES / 2) continue;
    if (left.children !== undefined && right.children !== undefined) {
      children.splice(at, 2, branch([...left.children, ...right.children]));
    } else if (left.children === undefined && right.children === undefined) {
      children.splice(at, 2, leaf([...left.keys, ...right.keys], [...left.values, ...right.values]));
    }
  }
}

function collapse<K, V>(root: Node<K, V>): Node<K, V> {
  let node = root;
  while (node.children !== undefined && node.children.length === 1) node = node.children[0]!;
  return node.size === 0 ? leaf<K, V>([], []) : node;
}

function visitRange<K extends Key, V>(
  node: Node<K, V>,
  start: K | undefined,
  end: K | undefined,
  visit: (value: V, key: K) => boolean | void,
): boolean {
  if (node.children !== undefined) {
    const from = start === undefined ? 0 : childIndex(node.keys, start);
    for (let i = from; i < node.children.length; i++) {
      if (end !== undefined && node.keys[i]! >= end) return true;
      if (!visitRange(node.children[i]!, i === from ? start : undefined, end, visit)) return false;
    }
    return true;
  }
  for (let i = start === undefined ? 0 : lowerBound(node.keys, start); i < node.keys.length; i++) {
    const key = node.keys[i]!;
    if (end !== undefined && key >= end) return true;
    if (visit(node.values[i]!, key) === false) return false;
  }
  return true;
}

function visitRangeBackwards<K extends Key, V>(
  node: Node<K, V>,
  start: K | undefined,
  end: K | undefined,
  visit: (value: V, key: K) => boolean | void,
): boolean {
  const top = end === undefined ? node.keys.length - 1 : lowerBound(node.keys, end) - 1;
  for (let i = top; i >= 0; i--) {
    const key = node.keys[i]!;
    if (node.children !== undefined) {
      if (!visitRangeBackwards(node.children[i]!, start, end, visit)) return false;
      if (start !== undefined && key < start) return true;
    } else {
      if (start !== undefined && key < start) return true;
      if (visit(node.values[i]!, key) === false) return false;
    }
  }
  return true;
}

/** How many keys are smaller than `bound`. */
function rank<K extends Key, V>(node: Node<K, V>, bound: K): number {
  let below = 0;
  while (node.children !== undefined) {
    const index = childIndex(node.keys, bound);
    for (let i = 0; i < index; i++) below += node.children[i]!.size;
    node = node.children[index]!;
  }
  return below + lowerBound(node.keys, bound);
}

function dropBelow<K extends Key, V>(node: Node<K, V>, start: K): Node<K, V> {
  if (node.children !== undefined) {
    const index = childIndex(node.keys, start);
    const first = dropBelow(node.children[index]!, start);
    const children = node.children.slice(index + 1);
    if (first.size > 0) children.unshift(first);
    return children.length === 0 ? leaf<K, V>([], []) : branch(children);
  }
  const index = lowerBound(node.keys, start);
  return index === 0 ? node : leaf(node.keys.slice(index), node.values.slice(index));
}
