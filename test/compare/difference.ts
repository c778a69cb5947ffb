/** How two answers differ: the smallest description, each part with its place. */
import { isDeepStrictEqual } from 'node:util';
import type { Comparable } from './normalise.ts';

export type What = 'status' | 'missing' | 'extra' | 'value' | 'type' | 'length' | 'order';

export interface Difference {
  /** `body.spec.replicas`, `headers.warning`, `status`. */
  readonly path: string;
  /** `missing`: only the other server has it. `extra`: only k8ts has it. */
  readonly what: What;
  readonly ours: unknown;
  readonly theirs: unknown;
}

interface Cause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

interface Status {
  readonly kind: 'Status';
  readonly message?: string;
  readonly details?: { readonly causes?: readonly Cause[] };
}

export function differences(ours: Comparable, theirs: Comparable): Difference[] {
  // Answers with another status have another body: one difference, not all that follows from it.
  if (ours.status !== theirs.status)
    return [{ path: 'status', what: 'status', ours: summary(ours), theirs: summary(theirs) }];
  const out = between(ours.headers, theirs.headers, 'headers');
  // The same in another form is another body too.
  if (ours.headers['content-type'] !== theirs.headers['content-type']) return out;
  if (isStatus(ours.body) && isStatus(theirs.body)) return [...out, ...betweenStatuses(ours.body, theirs.body)];
  return [...out, ...between(ours.body, theirs.body, 'body')];
}

function summary({ status, body }: Comparable): string {
  const message = isStatus(body)
    ? (body.message ?? '')
    : isObject(body)
      ? String(body['kind'] ?? '')
      : status === 0
        ? String(body)
        : '';
  return `${status} ${message}`.trim();
}

function isStatus(body: unknown): body is Status {
  return isObject(body) && body['kind'] === 'Status';
}

/** The message of a refusal repeats its causes: it counts only where they are equal. */
function betweenStatuses(ours: Status, theirs: Status): Difference[] {
  const [ourCauses, theirCauses] = [texts(ours), texts(theirs)];
  const missing = without(theirCauses, ourCauses).map((cause): Difference => ({
    path: 'body.details.causes[]',
    what: 'missing',
    ours: undefined,
    theirs: cause,
  }));
  const extra = without(ourCauses, theirCauses).map((cause): Difference => ({
    path: 'body.details.causes[]',
    what: 'extra',
    ours: cause,
    theirs: undefined,
  }));
  const out = [...missing, ...extra];
  if (out.length === 0 && !isDeepStrictEqual(ourCauses, theirCauses)) {
    out.push({ path: 'body.details.causes[]', what: 'order', ours: ourCauses, theirs: theirCauses });
  }
  const rest = (status: Status): unknown => ({
    ...status,
    ...(out.length > 0 ? { message: '' } : {}),
    details: { ...status.details, causes: [] },
  });
  return [...out, ...between(rest(ours), rest(theirs), 'body')];
}

function texts({ details }: Status): string[] {
  return (details?.causes ?? []).map(
    ({ reason, message, field }) => `${field ?? ''}: ${reason ?? ''}: ${message ?? ''}`,
  );
}

function without(all: readonly string[], taken: readonly string[]): string[] {
  const left = [...taken];
  return all.filter((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function between(ours: unknown, theirs: unknown, path: string): Difference[] {
  if (Object.is(ours, theirs)) return [];
  if (ours === undefined) return [{ path, what: 'missing', ours, theirs }];
  if (theirs === undefined) return [{ path, what: 'extra', ours, theirs }];
  if (Array.isArray(ours) && Array.isArray(theirs)) return betweenLists(ours, theirs, path);
  if (isObject(ours) && isObject(theirs)) return betweenObjects(ours, theirs, path);
  return [{ path, what: typeof ours === typeof theirs ? 'value' : 'type', ours, theirs }];
}

function betweenLists(ours: readonly unknown[], theirs: readonly unknown[], path: string): Difference[] {
  if (ours.length === theirs.length) {
    const out = ours.flatMap((element, i) => between(element, theirs[i], `${path}[${i}]`));
    return out.length > 1 && isPermutation(ours, theirs) ? [{ path, what: 'order', ours, theirs }] : out;
  }
  const [mine, other] = [ours.map((element) => sortedText(element)), theirs.map((element) => sortedText(element))];
  const missing = without(other, mine).map((text): Difference => ({
    path: `${path}[]`,
    what: 'missing',
    ours: undefined,
    theirs: JSON.parse(text) as unknown,
  }));
  const extra = without(mine, other).map((text): Difference => ({
    path: `${path}[]`,
    what: 'extra',
    ours: JSON.parse(text) as unknown,
    theirs: undefined,
  }));
  // Texts are told apart by what they are, other elements by their place too.
  if (missing.length === 0 || extra.length === 0 || typeof ours[0] === 'string') return [...missing, ...extra];
  return [
    { path, what: 'length', ours: mine.length, theirs: other.length },
    ...missing.slice(0, 1),
    ...extra.slice(0, 1),
  ];
}

/** The keys of an object have no order. */
const sortedText = (element: unknown): string =>
  JSON.stringify(element, (_key, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );

function isPermutation(ours: readonly unknown[], theirs: readonly unknown[]): boolean {
  const sorted = (list: readonly unknown[]): string[] => list.map(sortedText).sort();
  return isDeepStrictEqual(sorted(ours), sorted(theirs));
}

function betweenObjects(ours: Record<string, unknown>, theirs: Record<string, unknown>, path: string): Difference[] {
  const keys = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
  return [...keys].flatMap((key) => between(ours[key], theirs[key], `${path}${segment(key)}`));
}

/** A key that is a path or has dots of its own stands in brackets. */
function segment(key: string): string {
  return /^[\w:$<>-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
