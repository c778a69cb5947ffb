/** Schemas of custom resources from chance, definitions around them, and objects that they take or refuse. */
import type { Answer, Step } from './conversation.ts';
import type { Random } from './random.ts';

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const CRD = `${CRDS}/things.$RUN.example.com`;

/** Waits, as users do, until a written definition is Established; one that was refused is not waited for. */
export function establishedAfter({ method, path, body }: Step): Step | undefined {
  if (!path.startsWith(CRDS) || !['POST', 'PUT', 'PATCH'].includes(method) || path.includes('dryRun')) return undefined;
  const named = path.slice(CRDS.length + 1).split(/[/?]/)[0];
  const name = named || (body as { metadata?: { name?: string } } | undefined)?.metadata?.name;
  return name ? { method: 'GET', path: `${CRDS}/${name}`, setup: true, until: isEstablished } : undefined;
}

function isEstablished({ status, body }: Answer): boolean {
  if (status !== 200) return true;
  const definition = JSON.parse(body.toString()) as { status?: { conditions?: { type: string; status: string }[] } };
  return definition.status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True') ?? false;
}

export type MadeSchema = {
  [key: string]: unknown;
  type?: string;
  properties?: Record<string, MadeSchema>;
  items?: MadeSchema;
  additionalProperties?: MadeSchema;
};

const DEEPEST = 3;
const NAMES = ['color', 'size', 'count', 'ports', 'labels', 'nested', 'when', 'flag', 'mixed', 'any'];
const FORMATS = [
  'date-time',
  'date',
  'duration',
  'uuid',
  'byte',
  'ipv4',
  'ipv6',
  'cidr',
  'email',
  'hostname',
  'uri',
  'int32',
  'int64',
  'password',
  'nope',
  'isbn',
  'mac',
  'hexcolor',
  'bsonobjectid',
];

/** Parts that no structural schema may have, or not there. */
const ODD: readonly object[] = [
  ...[
    { type: '' },
    { type: 'nope' },
    { type: undefined },
    { nullable: true },
    { default: 'x' },
    { default: null },
    { $ref: '#/x' },
    { uniqueItems: true },
    { oneOf: [{ type: 'string' }] },
    { not: { required: ['x'] } },
    { pattern: '[' },
  ],
  ...[
    { minimum: 5, maximum: 1 },
    { minLength: -1 },
    { enum: [] },
    { enum: ['a', 'a'] },
    { required: ['nope', 'nope'] },
    { 'x-kubernetes-int-or-string': true },
    { 'x-kubernetes-preserve-unknown-fields': true },
    { 'x-kubernetes-preserve-unknown-fields': false },
  ],
  ...[
    { 'x-kubernetes-embedded-resource': true },
    { 'x-kubernetes-list-type': 'set' },
    { 'x-kubernetes-list-type': 'map' },
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['nope'] },
    { 'x-kubernetes-list-type': 'nope' },
    { 'x-kubernetes-map-type': 'atomic' },
  ],
  ...[
    { 'x-kubernetes-map-type': 'nope' },
    { 'x-kubernetes-validations': [{ rule: '' }] },
    { 'x-kubernetes-validations': [{ rule: 'self ==' }] },
    { 'x-kubernetes-validations': [{ rule: 'self.nope' }] },
    { 'x-kubernetes-validations': [{ rule: 'true', reason: 'Nope' }] },
  ],
  ...[
    { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
    { anyOf: [{ minimum: 1 }, { required: ['a'] }] },
    { allOf: [{ default: 1 }] },
    { exclusiveMinimum: true },
    { multipleOf: 0 },
    { items: [{ type: 'string' }] },
    { additionalProperties: true },
  ],
  ...[
    { additionalProperties: false },
    { dependencies: { a: ['b'] } },
    { patternProperties: { a: {} } },
    { definitions: { a: {} } },
    { id: 'x' },
    { $schema: 'x' },
    { format: 'nope' },
    { example: 1, title: 't', externalDocs: { url: 'x' } },
    { maxItems: 1, minItems: 2 },
  ],
];

export function schemaOf(random: Random, depth: number, odd: number): MadeSchema {
  const made = depth === 0 ? rootSchema(random, odd) : anySchema(random, depth, odd);
  return random.chance(odd) ? { ...made, ...random.pick(ODD) } : made;
}

function rootSchema(random: Random, odd: number): MadeSchema {
  const spec = {
    ...objectSchema(random, 1, odd),
    properties: {
      ...objectSchema(random, 1, odd).properties,
      color: { type: 'string', ...(random.chance(0.4) ? { default: 'red' } : {}) },
      replicas: { type: 'integer' },
    },
  };
  const status = { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } };
  return { type: 'object', properties: { spec, status }, ...(random.chance(0.3) ? { required: ['spec'] } : {}) };
}

function objectSchema(random: Random, depth: number, odd: number): MadeSchema {
  const names = random.some(NAMES, 0.4);
  const properties = Object.fromEntries(names.map((name) => [name, schemaOf(random, depth + 1, odd)]));
  const required = random.some(names, 0.2);
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...(random.chance(0.1) ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
  };
}

function anySchema(random: Random, depth: number, odd: number): MadeSchema {
  const scalar = random.pick([stringSchema, integerSchema, numberSchema, booleanSchema]);
  if (depth >= DEEPEST) return scalar(random);
  const made = random.pick([
    scalar,
    scalar,
    listSchema,
    mapSchema,
    () => objectSchema(random, depth, odd),
    () => ({ 'x-kubernetes-int-or-string': true }),
    () => ({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
  ]);
  return made(random, depth, odd);
}

function stringSchema(random: Random): MadeSchema {
  return {
    type: 'string',
    ...random.pick([
      {},
      {},
      { enum: ['red', 'green'] },
      { minLength: 2, maxLength: 4 },
      { pattern: '^[a-c]+$' },
      { format: random.pick(FORMATS) },
      { default: 'abc' },
      { nullable: true },
    ]),
  };
}

function integerSchema(random: Random): MadeSchema {
  return {
    type: 'integer',
    ...random.pick([
      {},
      { minimum: 1, maximum: 10 },
      { multipleOf: 3 },
      { format: 'int32' },
      { format: 'int64' },
      { exclusiveMinimum: true, minimum: 0 },
      { default: 5 },
      { enum: [1, 2, 3] },
    ]),
  };
}

function numberSchema(random: Random): MadeSchema {
  return {
    type: 'number',
    ...random.pick([
      {},
      { minimum: 0.5 },
      { maximum: 10, exclusiveMaximum: true },
      { multipleOf: 0.5 },
      { format: 'double' },
      { default: 1.5 },
    ]),
  };
}

function booleanSchema(random: Random): MadeSchema {
  return { type: 'boolean', ...random.pick([{}, { default: true }, { nullable: true }]) };
}

function listSchema(random: Random, depth: number, odd: number): MadeSchema {
  const kind = random.pick(['atomic', 'set', 'map', 'none', 'none']);
  const limits = random.pick([{}, { maxItems: 2 }, { minItems: 1 }]);
  if (kind === 'set') return { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', ...limits };
  if (kind === 'map')
    return {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, value: schemaOf(random, depth + 1, odd) },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      ...limits,
    };
  return {
    type: 'array',
    items: schemaOf(random, depth + 1, odd),
    ...(kind === 'atomic' ? { 'x-kubernetes-list-type': 'atomic' } : {}),
    ...limits,
  };
}

function mapSchema(random: Random, depth: number, odd: number): MadeSchema {
  return {
    type: 'object',
    additionalProperties: schemaOf(random, depth + 1, odd),
    ...random.pick([{}, { maxProperties: 1 }, { minProperties: 1 }, { 'x-kubernetes-map-type': 'atomic' }]),
  };
}

/** A value that the schema takes, but for a part of them. */
export function objectFor(random: Random, schema: MadeSchema, wrong: number): unknown {
  if (random.chance(wrong))
    return random.pick([
      null,
      'x',
      1,
      -1,
      1.5,
      true,
      [],
      {},
      ['a', 'a'],
      { a: 1 },
      'x'.repeat(50),
      '2020-01-01T00:00:00Z',
      'red',
      99,
    ]);
  if (schema['x-kubernetes-int-or-string']) return random.pick([1, '50%']);
  if (schema.type === 'object') {
    const out: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(schema.properties ?? {})) {
      if ((schema['required'] as string[] | undefined)?.includes(name) ? !random.chance(wrong) : random.chance(0.6))
        out[name] = objectFor(random, inner, wrong);
    }
    if (schema.additionalProperties) out['key'] = objectFor(random, schema.additionalProperties, wrong);
    if (random.chance(wrong)) out['unknown'] = { a: 1 };
    return out;
  }
  if (schema.type === 'array')
    return Array.from({ length: random.pick([0, 1, 2]) }, () => objectFor(random, schema.items ?? {}, wrong));
  if (schema.type === 'integer') return random.pick([1, 2, 3, 6, 9]);
  if (schema.type === 'number') return random.pick([1, 1.5, 2, 0.5]);
  if (schema.type === 'boolean') return random.chance(0.5);
  return random.pick(
    schema['enum'] ? ['red', 'green'] : ['abc', 'ab', 'a', 'red', '2020-01-02T03:04:05Z', '10.1.2.3', '5s'],
  );
}

/** A definition of `things.$RUN.example.com`; an odd one has something that may not stand there. */
export function crd(random: Random, schema: MadeSchema, { odd }: { odd: boolean }): object {
  const maybe = (value: object): object => (random.chance(0.4) ? value : {});
  const version = {
    ...{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } },
    ...maybe({
      subresources: {
        status: {},
        ...maybe({ scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } }),
      },
    }),
    ...maybe({
      additionalPrinterColumns: [
        { name: 'Color', type: 'string', jsonPath: '.spec.color' },
        { name: 'N', type: 'integer', jsonPath: '.spec.count', priority: 1 },
        { name: 'Made', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    }),
    ...maybe({ selectableFields: [{ jsonPath: '.spec.color' }] }),
    ...maybe({ deprecated: true, ...maybe({ deprecationWarning: 'use another' }) }),
  };
  const second = maybe({
    more: [
      {
        name: 'v2',
        served: random.chance(0.7),
        storage: false,
        schema: { openAPIV3Schema: { ...schema, description: 'second' } },
      },
    ],
  }) as { more?: object[] };
  const spec = {
    ...{
      group: '$RUN.example.com',
      scope: 'Namespaced',
      names: {
        plural: 'things',
        singular: 'thing',
        kind: 'Thing',
        listKind: 'ThingList',
        ...maybe({ shortNames: ['th'], categories: ['all'] }),
      },
    },
    versions: [version, ...(second.more ?? [])],
    ...maybe({ conversion: { strategy: 'None' } }),
  };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.$RUN.example.com' },
    spec,
  };
  return odd ? oddDefinition(random, definition, version) : definition;
}

function oddDefinition(random: Random, definition: { spec: object }, version: object): object {
  const spec: Record<string, unknown> = { ...definition.spec };
  const names = spec['names'] as object;
  const changes: readonly (() => object)[] = [
    ...[
      { plural: 'Things' },
      { plural: '' },
      { singular: 'T' },
      { kind: 'thing' },
      { kind: '' },
      { shortNames: ['T H', 'th', 'th'] },
      { categories: ['A!'] },
      { listKind: 'Thing' },
    ].map((change) => () => ({ names: { ...names, ...change } })),
    ...[
      { group: 'other.example.com' },
      { group: 'x' },
      { group: '' },
      { group: 'apps' },
      { scope: 'Nope' },
      { scope: '' },
      { preserveUnknownFields: true },
      { versions: [] },
      { versions: [version, version] },
    ].map((change) => () => change),
    ...[
      { conversion: { strategy: 'Nope' } },
      { conversion: { strategy: 'Webhook' } },
      {
        conversion: {
          strategy: 'Webhook',
          webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'http://x' } },
        },
      },
      { conversion: { strategy: 'None', webhook: { conversionReviewVersions: [] } } },
    ].map((change) => () => change),
    ...[
      { name: 'V1' },
      { name: '' },
      { storage: false },
      { served: false },
      { schema: undefined },
      { schema: {} },
      { deprecationWarning: 'x' },
      { deprecated: true, deprecationWarning: '' },
      { subresources: { scale: {} } },
      { subresources: { scale: { specReplicasPath: 'spec', statusReplicasPath: '.spec.x', labelSelectorPath: '.x' } } },
    ].map((change) => () => ({ versions: [{ ...version, ...change }] })),
    ...[
      { name: '', type: 'string', jsonPath: '.x' },
      { name: 'a', type: 'nope', jsonPath: '.x' },
      { name: 'a', type: 'string', jsonPath: '' },
      { name: 'a', type: 'string', jsonPath: 'x' },
      { name: 'a', type: 'string', jsonPath: '.x[' },
      { name: 'a', type: 'integer', format: 'nope', jsonPath: '.x' },
    ].map((column) => () => ({ versions: [{ ...version, additionalPrinterColumns: [column] }] })),
    ...[
      { jsonPath: '.spec.nope' },
      { jsonPath: '.metadata.name' },
      { jsonPath: '' },
      { jsonPath: '.spec' },
      { jsonPath: '.status.phase' },
    ].map((field) => () => ({ versions: [{ ...version, selectableFields: [field, field] }] })),
  ];
  return random.chance(0.4) ? { ...definition, spec: { ...spec, ...random.pick(changes)() } } : definition;
}
