/** CEL cost of a call at run time: cel-go's cost units, with Kubernetes' costs for its own libraries. */
import { sizeOf, type Value } from './values.ts';

export const TRAVERSAL = 0.1;
export const REGEX_LENGTH = 0.25;
const AUTHORIZATION_CHECK = 350_000;
const LIST_BASE = 10;
const REQUIREMENT = 50;

const traversal = (size: number, factor = 1): number => Math.ceil(size * factor * TRAVERSAL);
const regexCost = (text: number, pattern: number): number =>
  Math.ceil((1 + text) * TRAVERSAL) * Math.ceil(pattern * REGEX_LENGTH);

/** The pattern length that upstream assumes for a named format. */
export const FORMAT_PATTERN_LENGTH = 128;

export function callCost(name: string, id: string, args: readonly Value[], result: Value): number {
  const size = (i: number): number => sizeOf(args[i] ?? null);
  switch (name) {
    case 'check':
      return AUTHORIZATION_CHECK;
    case 'fieldSelector':
    case 'labelSelector':
      return LIST_BASE + traversal(size(1)) + Math.ceil(Math.ceil(size(1) * 0.5) * REQUIREMENT);
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return traversalOf(args[0] ?? null);
    case 'url':
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
    case 'jsonpatch.escapeKey':
      return traversal(size(0));
    case 'ip':
      return id === 'cidr_ip' ? 1 : traversal(size(0));
    case 'replace':
    case 'split':
    case 'ip.isCanonical':
      return traversal(size(0), 2);
    case 'join':
      return traversal(sizeOf(result), 2);
    case 'find':
    case 'findAll':
    case 'matches':
      return regexCost(size(0), size(1));
    case 'validate':
      return regexCost(size(1), FORMAT_PATTERN_LENGTH);
    case 'containsIP':
      return traversal(size(0) * 2) + (id === 'cidr_contains_ip_string' ? traversal(size(1)) : 0);
    case 'containsCIDR':
      return (
        traversal(size(0) * 2) + traversal(size(0)) + 1 + (id === 'cidr_contains_cidr_string' ? traversal(size(1)) : 0)
      );
    case 'startsWith':
    case 'endsWith':
    case 'format':
    case 'strings.quote':
      return traversal(size(0));
    case 'contains':
      return traversal(size(0)) * traversal(size(1));
    case '@in':
      return id === 'in_list' ? size(1) : 1;
    case '_<_':
    case '_<=_':
    case '_>_':
    case '_>=_':
      return typeof args[0] === 'string' ? Math.max(1, traversal(Math.min(size(0), size(1)))) : 1;
    case '_+_':
      return id === 'add_string' || id === 'add_bytes' || id === 'add_list' ? traversal(size(0) + size(1)) : 1;
    case 'bytes':
    case 'string':
      return id === 'string_to_bytes' || id === 'bytes_to_string' ? traversal(size(0)) : 1;
    case 'flatten':
    case 'distinct':
    case 'sort':
    case 'reverse':
    case 'slice':
    case 'lists.range':
      return 1 + sizeOf(result) + size(0);
    case 'sets.contains':
    case 'sets.intersects':
    case 'sets.equivalent':
      return 1 + size(0) * size(1);
    default:
      return 1;
  }
}

/** The cost of traversing a string, or a list with all its elements. */
function traversalOf(value: Value): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return Math.floor(sizeOf(value) * TRAVERSAL);
  if (!Array.isArray(value)) return 1;
  let cost = 0;
  for (const item of value as readonly Value[]) cost += traversalOf(item);
  return cost;
}
