/**
 * Differences from the other server that stand, each with its reason. What is not here is a defect. An entry holds for
 * a difference when all that it names matches.
 */
import type { Difference } from './difference.ts';

export interface AcceptedDifference {
  readonly area?: string;
  /** The request: `GET /path`. */
  readonly request?: RegExp;
  readonly path: RegExp;
  readonly what?: Difference['what'];
  readonly ours?: RegExp;
  readonly theirs?: RegExp;
  readonly reason: string;
}

export const acceptedDifferences: readonly AcceptedDifference[] = [
  {
    area: 'crd',
    path: /^body\.details\.causes\[\]$/,
    what: 'order',
    reason: 'the other server walks the properties of a schema in an order of chance; ours is that of the object',
  },
  {
    area: 'rbac',
    path: /^body\.status\.(?:r|nonR)esourceRules$/,
    what: 'order',
    reason: 'the other server lists the rules of a user in an order of chance',
  },
  {
    area: 'crd',
    path: /^status$/,
    theirs: /^0 .*socket hang up/,
    reason: 'the other server breaks off the connection instead of refusing the schema',
  },
];

export function reasonFor(
  area: string,
  request: string,
  difference: Difference,
  list = acceptedDifferences,
): string | undefined {
  const matches = (pattern: RegExp | undefined, value: unknown): boolean =>
    pattern === undefined || pattern.test(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  const found = list.find(
    (entry) =>
      (entry.area === undefined || entry.area === area) &&
      matches(entry.request, request) &&
      matches(entry.path, difference.path) &&
      (entry.what === undefined || entry.what === difference.what) &&
      matches(entry.ours, difference.ours) &&
      matches(entry.theirs, difference.theirs),
  );
  return found?.reason;
}
