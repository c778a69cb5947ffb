/**
 * Requests whose longest turn is above the limit, and why. Each takes time in proportion to its size; none of them has a turn
 * that grows faster than that, which is what the bounds here watch over.
 */
export interface LongerTurn {
  readonly milliseconds: number;
  readonly why: string;
}

const AT_THE_LIMIT = 'below the limit on an idle machine, or at it';
const CUSTOM =
  'custom resources are decoded, tracked and validated by their schema on the main thread, each in one turn';
const ONE_ITEM = 'one large item of a list is encoded in one turn';
const COMPARED = 'a large object that does not change is compared with the stored one in one turn';
const SMALL_BODY = 'a small body that grows, which is not handled as a large request';
const SCHEDULED = 'the scheduler compares the pod and writes its status in one turn';
const EMPTY =
  'four hundred thousand empty messages become an object of 50 MB, which is sent to the stage thread at once';

const NEAR = [
  ...['many binary keys', 'merge patch: many removals', 'the same pull secret', 'many terms of affinity'],
  ...['many bad owners', 'a creditcard of "1:"', 'a ipv6 of "."', 'a review with a long extra'],
  ...['all objects', 'all objects as protobuf', 'all objects, compressed', 'all objects as a table with the objects'],
  ...['YAML: many anchors and aliases', 'YAML: one anchor, many aliases', 'apply: YAML of many keys'],
  ...['a custom resource of long lists', 'apply: a long list of a custom resource', 'many elements for a rule'],
];

const CUSTOM_RESOURCES = [
  ...['a long map', 'a map of the same', 'a long set', 'a set of the same', 'a pattern that counts'],
  ...['many pruned fields', 'a custom resource of many keys'],
];

const UNCHANGED = ['JSON patch: moves of much', 'JSON patch: tests of much'];

const GROWING = ['YAML: a billion laughs', 'JSON patch: copies that double'];

const rows = (names: readonly string[], milliseconds: number, why: string): [string, LongerTurn][] =>
  names.map((name) => [name, { milliseconds, why }]);

export const LONGER_TURNS: ReadonlyMap<string, LongerTurn> = new Map([
  ...rows(NEAR, 100, AT_THE_LIMIT),
  ...rows(UNCHANGED, 150, COMPARED),
  ...rows(GROWING, 150, SMALL_BODY),
  ...rows(['many node selectors'], 150, SCHEDULED),
  ...rows(CUSTOM_RESOURCES, 250, CUSTOM),
  ...rows(['apply: a long map of a custom resource'], 600, CUSTOM),
  ...rows(['all objects as YAML'], 600, ONE_ITEM),
  ...rows(['all objects, pretty'], 200, ONE_ITEM),
  ...rows(['many empty containers', 'protobuf: many empty containers'], 750, EMPTY),
]);
