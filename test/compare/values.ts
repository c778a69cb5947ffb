/** Values of every type: valid ones, those at a boundary, and such as no server may take. */
import type { Field, ScalarType, Type } from '../../src/api/index.ts';
import type { Random } from './random.ts';

const LONG = 'x'.repeat(64);
const VERY_LONG = 'y'.repeat(254);

const STRINGS: readonly unknown[] = [
  ...[
    '',
    'a',
    'valid-name',
    'Upper',
    'under_score',
    'with space',
    'a.b.c',
    '-a',
    'a-',
    '1',
    'ünï',
    'a/b',
    'a/b/c',
    '/abs/path',
    'rel/../path',
    '..',
    '*',
    '*.example.com',
  ],
  ...[
    'example.com/x',
    'http',
    '80',
    '10.1.2.3',
    '010.1.2.3',
    '::1',
    'fd00::0001',
    '::ffff:1.2.3.4',
    '10.0.0.0/8',
    '10.0.0.1/8',
    'fd00::/64',
    '300.1.1.1',
    'https://example.com/p?q#f',
    'x:y',
  ],
  ...[
    'line\nbreak',
    'tab\t',
    '"quoted"',
    '\\',
    '{}',
    '$(VAR)',
    '{{.}}',
    '<b>&',
    LONG,
    VERY_LONG,
    'true',
    'null',
    '0',
    '1Gi',
    '5s',
    '2030-01-02T03:04:05Z',
  ],
];
const NAMED_STRINGS: readonly (readonly [RegExp, readonly unknown[]])[] = [
  [/name$/i, ['n', 'N', 'a.b', 'a_b', LONG, '']],
  [/path$/i, ['/', '/a', 'a', '/a/../b', '', '/a:b', 'a/b/../../..']],
  [
    /ip$|ips$|address/i,
    ['10.1.2.3', '127.0.0.1', '169.254.1.1', '224.0.0.1', 'fd00::1', '::', '0.0.0.0', 'x', '1.2.3', '10.1.2.03'],
  ],
  [/cidr/i, ['10.0.0.0/8', '10.0.0.1/8', '0.0.0.0/0', 'fd00::/8', '10.0.0.0/33', 'x']],
  [
    /expression|condition$/i,
    ['true', 'self', 'object.metadata.name', '1 +', 'foo()', 'has(object.spec)', '"a" + 1', ''],
  ],
  [/key$/i, ['k', 'a.b/c', 'A B', 'bad!', '']],
  [/schedule$/i, ['* * * * *', '@daily', '@every 1h', '60 * * * *', 'TZ=UTC * * * * *', '*/5 * * * *', 'x', '']],
  [/timeZone/i, ['Etc/UTC', 'Europe/Berlin', 'Local', 'Mars/Base', '', ' UTC']],
  [/image$/i, ['img', 'img:tag', 'registry/x@sha256:abc', ' img', 'img ', '']],
  [
    /url$|uri$/i,
    ['https://example.com', 'http://example.com', 'https://u:p@example.com', 'https://example.com/?q', 'x', ':', ''],
  ],
  [/domain|host|driver|provisioner/i, ['example.com', 'EXAMPLE.com', '*.example.com', 'a..b', '-', LONG + '.com', '']],
];
const INTEGERS: readonly unknown[] = [
  0,
  1,
  -1,
  2,
  3,
  10,
  100,
  101,
  255,
  256,
  1000,
  65_535,
  65_536,
  86_400,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  1_000_000_000,
  2 ** 53,
];
const NO_INTEGERS: readonly unknown[] = [1.5, '1', 'x', true, [], {}, null];
const QUANTITIES: readonly unknown[] = [
  ...[
    '1',
    '0',
    '100m',
    '1.5',
    '1Gi',
    '1G',
    '1e3',
    '1E',
    '-1',
    '0.1',
    '1n',
    '0.5n',
    '1024Ki',
    '1000m',
    '+5',
    '9223372036854775807',
    '9223372036854775808',
    '1.0',
    '10Ei',
    '',
    'x',
    '1gi',
    '1 Gi',
  ],
  ...[1, 0, 1.5, -2, null, true, [], {}],
];
const TIMES: readonly unknown[] = [
  '2020-01-02T03:04:05Z',
  '2020-01-02T03:04:05.678901Z',
  '2030-01-02T03:04:05+02:00',
  '2020-01-02',
  'x',
  '',
  null,
  5,
  '0001-01-01T00:00:00Z',
  '2020-02-30T00:00:00Z',
];
const DURATIONS: readonly unknown[] = ['5s', '1h30m', '0s', '-1s', '500ms', '1d', '', 'x', 5, null];
const INT_OR_STRINGS: readonly unknown[] = [
  0,
  1,
  80,
  -1,
  65_536,
  '80',
  'http',
  '50%',
  '0%',
  '100%',
  '150%',
  '-5%',
  '1.5%',
  '',
  '%',
  'a-very-long-port-name',
  'A',
  null,
  true,
  1.5,
  2 ** 31,
];
const BYTES: readonly unknown[] = [
  'aGk=',
  '',
  'aGk',
  'not base64!',
  5,
  null,
  [104],
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t',
];
const ANY: readonly unknown[] = [{}, { a: 1 }, { apiVersion: 'v1', kind: 'Pod' }, 'text', 1, null, [], true];

const LABELS: readonly unknown[] = [
  ...[
    {},
    { a: 'b' },
    { 'a.b/c': 'D_e.f-g' },
    { 'bad key!': 'x' },
    { a: 'bad value!' },
    { a: '' },
    { [LONG]: 'x' },
    { a: LONG },
    { 'a/b/c': 'x' },
    { '': 'x' },
  ],
  ...[{ a: 1 }, { a: null }, { a: 'b', c: 'd' }, null, 'x', [], { 'kubernetes.io/x': 'y' }],
];

const BY_SCALAR: Readonly<Record<ScalarType['scalar'], readonly unknown[]>> = {
  string: [...STRINGS, 1, true, null, [], {}],
  bool: [true, false, 'true', 1, 0, null, [], {}],
  int32: [...INTEGERS, ...NO_INTEGERS],
  int64: [...INTEGERS, ...NO_INTEGERS],
  double: [...INTEGERS, 0.5, -0.5, 1e300, ...NO_INTEGERS],
  bytes: BYTES,
  Quantity: QUANTITIES,
  IntOrString: INT_OR_STRINGS,
  Time: TIMES,
  MicroTime: TIMES,
  Duration: DURATIONS,
  RawExtension: ANY,
  JSON: ANY,
  FieldsV1: ANY,
};

/** One of the values that are worth trying at a field of this type. */
export function someValue(random: Random, type: Type, field: Pick<Field, 'name'>): unknown {
  if (type.kind === 'scalar') return someScalar(random, type, field.name);
  if (type.kind === 'map')
    return random.pick(
      type.value.kind === 'scalar' && type.value.scalar === 'string'
        ? LABELS
        : [{}, null, [], { a: someValue(random, type.value, field) }],
    );
  if (type.kind === 'list') {
    const element = (): unknown => someValue(random, type.element, field);
    const same = element();
    return random.pick([
      () => [],
      () => null,
      () => [same],
      () => [same, same],
      () => [element(), element()],
      () => ({}),
      () => 'x',
      () => [null],
    ])();
  }
  return random.pick([{}, null, [], 'x', 1, { noSuchField: 1 }]);
}

function someScalar(random: Random, type: ScalarType, name: string): unknown {
  if (type.scalar === 'string' && type.values.length > 0)
    return random.pick([...type.values, ...type.values, 'Bogus', '', type.values[0]!.toLowerCase(), 1, null]);
  if (type.scalar === 'string') {
    const named = NAMED_STRINGS.find(([pattern]) => pattern.test(name));
    if (named && random.chance(0.6)) return random.pick(named[1]);
  }
  return random.pick(BY_SCALAR[type.scalar]);
}

const VALID_STRINGS: readonly (readonly [RegExp, string])[] = [
  [/^apiVersion$/, 'v1'],
  [/^apiGroup$/, 'rbac.authorization.k8s.io'],
  [/kind$/i, 'ConfigMap'],
  [/path$/i, '/p'],
  [/ips?$|^addresses$|address$/i, '10.1.2.3'],
  [/cidrs?$/i, '10.1.0.0/16'],
  [/^(?:driver|provisioner|domain|hostname|host)/i, 'example.com'],
  [/expression$/i, 'true'],
  [/url$/i, 'https://example.com/'],
  [/schedule$/i, '* * * * *'],
  [/uid$/i, '11111111-2222-3333-4444-555555555555'],
  [/operator$/i, 'In'],
];

const VALID: Readonly<Record<Exclude<ScalarType['scalar'], 'string'>, unknown>> = {
  ...{
    bool: true,
    int32: 1,
    int64: 1,
    double: 1,
    bytes: 'aGk=',
    Quantity: '1',
    IntOrString: 80,
    Time: '2020-01-02T03:04:05Z',
  },
  ...{ MicroTime: '2020-01-02T03:04:05.000000Z', Duration: '5s', RawExtension: {}, JSON: {}, FieldsV1: {} },
};

/** A value that most fields of the type and name take. */
export function validValue(type: ScalarType, name: string): unknown {
  if (type.scalar !== 'string') return VALID[type.scalar];
  if (type.values.length > 0) return type.values[0];
  return VALID_STRINGS.find(([pattern]) => pattern.test(name))?.[1] ?? 'n';
}

/** A valid object most of the time, with some fields exchanged. */
export function varied(random: Random, base: object, fields: Readonly<Record<string, readonly unknown[]>>): object {
  const out: Record<string, unknown> = { ...base };
  for (const [field, values] of Object.entries(fields)) if (random.chance(0.4)) out[field] = random.pick(values);
  return out;
}
