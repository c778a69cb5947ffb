/** Why an operation of a JSON patch does not apply to a document, in the words of upstream's library. */
import { isRecord, ownValue, quote } from '../../../base/index.ts';

type Container = Readonly<Record<string, unknown>> | readonly unknown[];

/** The object or list that has, or would have, the last segment of a path as its key. */
interface Found {
  readonly container: Container;
  readonly key: string;
}

const MISSING = 'missing value';
const TEST_FAILED = 'test failed';

export function patchProblem(document: unknown, { op, path, from }: Readonly<Record<string, unknown>>): string {
  const at = String(path ?? '');
  const source = String(from ?? '');
  const found = find(document, at);
  const doesNotApply = (why: string): string => `${String(op)} operation does not apply: ${why}: ${MISSING}`;
  switch (op) {
    case 'add':
      if (!found) return doesNotApply(`doc is missing path: "${at}"`);
      return `error in add for path: '${at}': ${additionProblem(found)}`;
    case 'remove':
      if (!found) return doesNotApply(`doc is missing path: "${at}"`);
      return `error in remove for path: '${at}': ${removalProblem(found)}`;
    case 'replace':
      return doesNotApply(found ? `doc is missing key: ${at}` : `doc is missing path: ${at}`);
    case 'move':
    case 'copy':
      return transferProblem(doesNotApply, op, { source, at, from: find(document, source), to: found });
    case 'test':
      if (!found) return doesNotApply(`is missing path: ${at}`);
      return accessProblem(found) === undefined
        ? `testing value ${at} failed: ${TEST_FAILED}`
        : `error in test for path: '${at}': ${accessProblem(found)}`;
    default:
      return `Unexpected kind: ${String(op ?? 'unknown')}`;
  }
}

/** A `test` found another value; one whose path is missing does not apply at all. */
export const isFailedTest = (problem: string): boolean => problem.endsWith(`: ${TEST_FAILED}`);

interface Transfer {
  readonly source: string;
  readonly at: string;
  readonly from: Found | undefined;
  readonly to: Found | undefined;
}

function transferProblem(
  doesNotApply: (why: string) => string,
  op: 'move' | 'copy',
  { source, at, from, to }: Transfer,
): string {
  if (!from) return doesNotApply(`doc is missing from path: ${source}`);
  const access = op === 'move' ? (accessProblem(from) ?? removalProblem(from)) : accessProblem(from);
  if (access !== undefined)
    return op === 'move'
      ? `error in move for path: '${from.key}': ${access}`
      : `error in copy for from: '${source}': ${access}`;
  if (!to) return doesNotApply(`doc is missing destination path: ${at}`);
  return op === 'move'
    ? `error in move for path: '${at}': ${additionProblem(to)}`
    : `error while adding value during copy: ${additionProblem(to)}`;
}

function find(document: unknown, path: string): Found | undefined {
  const [first, ...segments] = path.split('/');
  if (first === undefined || segments.length === 0) return undefined;
  const key = unescaped(segments.pop()!);
  let container = asContainer(document);
  for (const segment of segments) {
    if (!container) return undefined;
    const name = unescaped(segment);
    const next = isList(container) ? container[indexIn(container, name) ?? -1] : ownValue(container, name);
    container = asContainer(next);
  }
  return container && { container, key };
}

const isList = (container: Container): container is readonly unknown[] => Array.isArray(container);

const asContainer = (value: unknown): Container | undefined =>
  Array.isArray(value) || isRecord(value) ? (value as Container) : undefined;

const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

const INTEGER = /^[+-]?\d+$/;

function indexIn(list: readonly unknown[], key: string): number | undefined {
  if (!INTEGER.test(key)) return undefined;
  const index = Number(key) < 0 ? list.length + Number(key) : Number(key);
  return index >= 0 && index < list.length ? index : undefined;
}

/** undefined when something can be read there; a missing key of an object reads as null. */
function accessProblem({ container, key }: Found): string | undefined {
  if (!isList(container) || indexIn(container, key) !== undefined) return undefined;
  return INTEGER.test(key) ? invalidIndex(key) : notAnInteger(key);
}

function removalProblem(found: Found): string | undefined {
  const { container, key } = found;
  if (isList(container)) return accessProblem(found);
  return ownValue(container, key) === undefined ? `Unable to remove nonexistent key: ${key}: ${MISSING}` : undefined;
}

const additionProblem = ({ key }: Found): string =>
  INTEGER.test(key) ? invalidIndex(key) : `value was not a proper array index: '${key}': ${notAnInteger(key)}`;

const notAnInteger = (key: string): string => `strconv.Atoi: parsing ${quote(key)}: invalid syntax`;

const invalidIndex = (key: string): string =>
  `Unable to access invalid index: ${Number(key)}: invalid index referenced`;
