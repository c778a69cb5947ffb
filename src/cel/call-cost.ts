/** CEL cost of a call at run time: cel-go's cost units, with Kubernetes' costs for its own libraries. */
import { sizeOf, type Value } from './values.ts';

export const TRAVERSAL = 0.1;
export const REGEX_LENGTH = 0.25;
/** What `authorizer.….check()` costs: it stands for the work of the authorizer. */
export const AUTHORIZATION_CHECK = 350_000;
/** The most values that an attribute of a device has. */
export const MAX_LIST_ATTRIBUTE = 48;
const LIST_BASE = 10;
const REQUIREMENT = 50;

const traversal = (size: number, factor = 1): number => Math.ceil(size * factor * TRAVERSAL);
const regexCost = (text: number, pattern: number): number =>
  Math.ceil((1 + text) * TRAVERSAL) * Math.ceil(pattern * REGEX_LENGTH);

/** The pattern length that upstream assumes for a named format. */
export const FORMAT_PATTERN_LENGTH = 128;

export function callCost(name: string, id: string, args: readonly Value[], result: Value): number {
  return COSTS.get(name)?.(args, id, result) ?? 1;
}

type CallCost = (args: readonly Value[], id: string, result: Value) => number;

const size = (args: readonly Value[], i: number): number => sizeOf(args[i] ?? null);

const selector: CallCost = (args) =>
  LIST_BASE + traversal(size(args, 1)) + Math.ceil(Math.ceil(size(args, 1) * 0.5) * REQUIREMENT);
const traverseTarget: CallCost = (args) => traversal(size(args, 0));
const traverseTargetTwice: CallCost = (args) => traversal(size(args, 0), 2);
const traverseElements: CallCost = (args) => traversalOf(args[0] ?? null);
const matchPattern: CallCost = (args) => regexCost(size(args, 0), size(args, 1));
const compare: CallCost = (args) =>
  typeof args[0] === 'string' ? Math.max(1, traversal(Math.min(size(args, 0), size(args, 1)))) : 1;
const buildList: CallCost = (args, _id, result) => 1 + sizeOf(result) + size(args, 0);
const compareSets: CallCost = (args) => 1 + size(args, 0) * size(args, 1);

/** Functions that are not listed cost 1. */
const COSTS: ReadonlyMap<string, CallCost> = new Map(
  Object.entries<CallCost>({
    check: () => AUTHORIZATION_CHECK,
    fieldSelector: selector,
    labelSelector: selector,
    isSorted: traverseElements,
    sum: traverseElements,
    max: traverseElements,
    min: traverseElements,
    indexOf: traverseElements,
    lastIndexOf: traverseElements,
    url: traverseTarget,
    lowerAscii: traverseTarget,
    upperAscii: traverseTarget,
    substring: traverseTarget,
    trim: traverseTarget,
    cidr: traverseTarget,
    isIP: traverseTarget,
    isCIDR: traverseTarget,
    quantity: traverseTarget,
    isQuantity: traverseTarget,
    semver: traverseTarget,
    isSemver: traverseTarget,
    'jsonpatch.escapeKey': traverseTarget,
    startsWith: traverseTarget,
    endsWith: traverseTarget,
    format: traverseTarget,
    'strings.quote': traverseTarget,
    ip: (args, id) => (id === 'cidr_ip' ? 1 : traversal(size(args, 0))),
    replace: traverseTargetTwice,
    split: traverseTargetTwice,
    'ip.isCanonical': traverseTargetTwice,
    join: (_args, _id, result) => traversal(sizeOf(result), 2),
    find: matchPattern,
    findAll: matchPattern,
    matches: matchPattern,
    validate: (args) => regexCost(size(args, 1), FORMAT_PATTERN_LENGTH),
    containsIP: (args, id) =>
      traversal(size(args, 0) * 2) + (id === 'cidr_contains_ip_string' ? traversal(size(args, 1)) : 0),
    containsCIDR: (args, id) =>
      traversal(size(args, 0) * 2) +
      traversal(size(args, 0)) +
      1 +
      (id === 'cidr_contains_cidr_string' ? traversal(size(args, 1)) : 0),
    contains: (args) => traversal(size(args, 0)) * traversal(size(args, 1)),
    '@in': (args, id) => (id === 'in_list' ? size(args, 1) : 1),
    '_<_': compare,
    '_<=_': compare,
    '_>_': compare,
    '_>=_': compare,
    '_+_': (args, id) =>
      id === 'add_string' || id === 'add_bytes' || id === 'add_list' ? traversal(size(args, 0) + size(args, 1)) : 1,
    bytes: (args, id) => (id === 'string_to_bytes' ? traversal(size(args, 0)) : 1),
    string: (args, id) => (id === 'bytes_to_string' ? traversal(size(args, 0)) : 1),
    flatten: buildList,
    distinct: buildList,
    sort: buildList,
    reverse: buildList,
    slice: buildList,
    'lists.range': buildList,
    'sets.contains': compareSets,
    'sets.intersects': compareSets,
    'sets.equivalent': compareSets,
  }),
);

/** The cost of traversing a string, or a list with all its elements. */
function traversalOf(value: Value): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return Math.floor(sizeOf(value) * TRAVERSAL);
  if (!Array.isArray(value)) return 1;
  let cost = 0;
  for (const item of value as readonly Value[]) cost += traversalOf(item);
  return cost;
}
