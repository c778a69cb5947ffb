/**
 * Requests whose longest turn is above the limit, and why. Each takes time in proportion to its size; none of them has a turn
 * that grows faster than that, which is what the bounds here watch over.
 */
export interface LongerTurn {
  readonly milliseconds: number;
  readonly why: string;
}

const EVERY_STAGE = 'tens of thousands of keys or items: a stage of the pipeline visits each of them a few times';
const SEVERAL_VISITS = 'tens of thousands of keys or items, which one stage compares, sorts or compiles one by one';
const EMPTY_MESSAGES = 'four hundred thousand empty messages, each of which becomes an object with its defaults';

/** Below the limit on an idle machine, or at it. */
const NEAR = [
  ...['many volumes', 'many ports', 'many variables', 'the same port', 'the same port of a service'],
  ...['many endpoints', 'many resources', 'many tolerations', 'many sources of variables', 'many mounts'],
  ...['many taints', 'many quotas', 'many topologies', 'lists of nothing', 'one key many times'],
  ...['a schema of alternatives', 'a schema with many required fields', 'a schema with a large default'],
  ...['the same constraint of spreading', 'many terms of affinity', 'many node selector terms'],
  ...['many host aliases', 'many usages', 'a Docker configuration', 'many ports of a service'],
  ...['a review with many groups', 'a review with many requirements', 'many wrong numbers', 'many wrong types'],
  ...['many elements for a rule', 'YAML: a billion laughs', 'JSON patch: copies of much'],
  ...['JSON patch: insertions at the front', 'JSON patch: removals at the front'],
  ...['strategic merge: keys to retain', 'apply: a long list of a custom resource', 'merge patch: a long list'],
  ...['a pattern that counts', 'all objects as a table with the objects', 'all objects', 'all objects as protobuf'],
  ...['all objects, compressed', 'a policy with a long expression', 'many webhooks', 'many templates of claims'],
  ...['many metrics', 'many subjects', 'many rules', 'volumes and mounts', 'containers that mount'],
  ...['many resource claims', 'many readiness gates', 'many references in variables'],
  ...['a custom resource of long lists', 'many owners', 'many bad owners', 'many controllers'],
  ...['strategic merge: many deletions', 'YAML: numbers', 'YAML: a long list', 'many supplemental groups'],
  ...['many rules of an ingress', 'a slice of many endpoints', 'many system controls', 'many search domains'],
];

/** Up to twice the limit. */
const VISITED = [
  ...['many keys', 'many bad keys', 'many unknown fields', 'many unknown fields, with warnings', 'many keys twice'],
  ...['many annotations', 'many bad annotations', 'many labels', 'many finalizers', 'many managed fields'],
  ...['one large set of managed fields', 'YAML: many keys', 'YAML: one flow map', 'YAML: many anchors and aliases'],
  ...['YAML: tags', 'protobuf: many labels', 'many containers', 'the same container', 'many init containers'],
  ...['many bad variables', 'many items of a volume', 'many projected sources'],
  ...['keys of a constraint of spreading', 'a node selector with many values', 'many pull secrets'],
  ...['the same pull secret', 'many scheduling gates', 'many capabilities', 'many headers of a probe'],
  ...['a role that aggregates many', 'many external addresses', 'many policies', 'many images of a node'],
  ...['a flow schema of many rules', 'a schema of many properties', 'a schema with a long rule'],
  ...['a schema with a long pattern', 'a schema with a pattern of classes', 'a custom resource of many keys'],
  ...['a set of the same', 'JSON patch: copies that double', 'JSON patch: tests of much'],
  ...['JSON patch: a long path', 'JSON patch: a deep path', 'merge patch: many removals'],
  ...['strategic merge: an order of many', 'strategic merge: many finalizers', 'apply: the same container'],
  ...['apply: many ports', 'update: a large object', 'all objects, pretty'],
];

/** Up to six times the limit. */
const WORKED_ON = [
  ...['many binary keys', 'YAML: one anchor, many aliases', 'many empty containers'],
  ...['many constraints of spreading', 'many node selectors', 'a review with a long extra'],
  ...['exceptions of a policy', 'many limits', 'a schedule of commas', 'a policy of many validations'],
  ...['a schema with many rules', 'many versions', 'a ipv6 of "1:"', 'a long set', 'a long map'],
  ...['a map of the same', 'many pruned fields', 'merge patch: many keys', 'strategic merge: many containers'],
  ...['apply: many keys', 'apply: many containers', 'apply: a long map of a custom resource'],
  ...['apply: YAML of many keys', 'update: many managed fields', 'all objects as YAML'],
];

const EMPTY = [...['protobuf: many empty containers']];

const rows = (names: readonly string[], milliseconds: number, why: string): [string, LongerTurn][] =>
  names.map((name) => [name, { milliseconds, why }]);

export const LONGER_TURNS: ReadonlyMap<string, LongerTurn> = new Map([
  ...rows(NEAR, 150, EVERY_STAGE),
  ...rows(VISITED, 250, EVERY_STAGE),
  ...rows(WORKED_ON, 750, SEVERAL_VISITS),
  ...rows(EMPTY, 2000, EMPTY_MESSAGES),
]);
