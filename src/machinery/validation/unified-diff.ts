/**
 * The unified diff of two texts, by the algorithm of Python's difflib, whose port to Go upstream uses in messages: it
 * matches the longest runs of equal lines.
 */
const CONTEXT = 3;
/** In texts with at least this many lines, lines that make up more than 1% do not start a match. */
const POPULAR_FROM = 200;

interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

interface Change {
  readonly equal: boolean;
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

export function unifiedDiff(before: string, after: string): string {
  const a = before.split('\n');
  const b = after.split('\n');
  let out = '';
  for (const group of groupChanges(changesOf(a, b))) {
    const first = group[0]!;
    const last = group.at(-1)!;
    out += `@@ -${range(first.a1, last.a2)} +${range(first.b1, last.b2)} @@\n`;
    for (const { equal, a1, a2, b1, b2 } of group) {
      if (equal) for (const line of a.slice(a1, a2)) out += ` ${line}\n`;
      else {
        for (const line of a.slice(a1, a2)) out += `-${line}\n`;
        for (const line of b.slice(b1, b2)) out += `+${line}\n`;
      }
    }
  }
  return out;
}

function range(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return `${start + 1}`;
  return `${length === 0 ? start : start + 1},${length}`;
}

/** Groups changes with up to three equal lines of context. */
function groupChanges(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  let group: Change[] = [];
  for (const [i, change] of changes.entries()) {
    let { a1, a2, b1, b2 } = change;
    if (change.equal) {
      const isFirst = i === 0;
      const isLast = i === changes.length - 1;
      if (!isFirst && !isLast && a2 - a1 > 2 * CONTEXT) {
        group.push({ equal: true, a1, a2: a1 + CONTEXT, b1, b2: b1 + CONTEXT });
        groups.push(group);
        group = [];
      }
      if (isLast) {
        a2 = Math.min(a2, a1 + CONTEXT);
        b2 = Math.min(b2, b1 + CONTEXT);
      }
      if (isFirst || group.length === 0) {
        a1 = Math.max(a1, a2 - CONTEXT);
        b1 = Math.max(b1, b2 - CONTEXT);
      }
    }
    group.push({ equal: change.equal, a1, a2, b1, b2 });
  }
  if (group.some(({ equal }) => !equal)) groups.push(group);
  return groups.filter((one) => one.some(({ equal }) => !equal));
}

function changesOf(a: readonly string[], b: readonly string[]): Change[] {
  const changes: Change[] = [];
  let i = 0;
  let j = 0;
  for (const match of [...matchesOf(a, b), { a: a.length, b: b.length, size: 0 }]) {
    if (i < match.a || j < match.b) changes.push({ equal: false, a1: i, a2: match.a, b1: j, b2: match.b });
    if (match.size > 0)
      changes.push({ equal: true, a1: match.a, a2: match.a + match.size, b1: match.b, b2: match.b + match.size });
    i = match.a + match.size;
    j = match.b + match.size;
  }
  return changes;
}

/** The runs of equal lines in order; adjacent runs are joined. */
function matchesOf(a: readonly string[], b: readonly string[]): Match[] {
  const positions = positionsOf(b);
  const found: Match[] = [];
  const queue = [{ a1: 0, a2: a.length, b1: 0, b2: b.length }];
  for (let part = queue.pop(); part; part = queue.pop()) {
    const match = longestMatch(a, b, { positions, ...part });
    if (match.size === 0) continue;
    found.push(match);
    queue.push({ a1: part.a1, a2: match.a, b1: part.b1, b2: match.b });
    queue.push({ a1: match.a + match.size, a2: part.a2, b1: match.b + match.size, b2: part.b2 });
  }
  found.sort((x, y) => x.a - y.a);
  const joined: Match[] = [];
  for (const match of found) {
    const last = joined.at(-1);
    if (last && last.a + last.size === match.a && last.b + last.size === match.b) {
      joined[joined.length - 1] = { ...last, size: last.size + match.size };
    } else joined.push(match);
  }
  return joined;
}

/** The positions of each line in the second text, without lines that are too common. */
function positionsOf(b: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const positions = new Map<string, number[]>();
  for (const [j, line] of b.entries()) {
    const list = positions.get(line);
    if (list) list.push(j);
    else positions.set(line, [j]);
  }
  if (b.length < POPULAR_FROM) return positions;
  const popular = Math.floor(b.length / 100) + 1;
  for (const [line, list] of positions) if (list.length > popular) positions.delete(line);
  return positions;
}

interface Part {
  readonly positions: ReadonlyMap<string, readonly number[]>;
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

function longestMatch(a: readonly string[], b: readonly string[], { positions, a1, a2, b1, b2 }: Part): Match {
  let best: Match = { a: a1, b: b1, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = a1; i < a2; i++) {
    const next = new Map<number, number>();
    for (const j of positions.get(a[i]!) ?? []) {
      if (j < b1) continue;
      if (j >= b2) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  // Common lines may still extend the match at its edges.
  let { a: start, b: at, size } = best;
  while (start > a1 && at > b1 && a[start - 1] === b[at - 1]) {
    start--;
    at--;
    size++;
  }
  while (start + size < a2 && at + size < b2 && a[start + size] === b[at + size]) size++;
  return { a: start, b: at, size };
}
