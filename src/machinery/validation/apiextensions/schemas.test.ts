import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import type { CelCompilation, CelCompiler, CelSchemaRule, CelValueFailure } from '../cel-compiler.ts';
import { createErrors } from '../testing/cases.ts';

const kind = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions', namespaced: false };
const ROOT = 'spec.validation.openAPIV3Schema';
const P = `${ROOT}.properties[p]`;

const definition = (schema: JsonObject): JsonObject => ({
  metadata: { name: 'rockets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'rockets', singular: 'rocket', kind: 'Rocket', listKind: 'RocketList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
  status: { storedVersions: ['v1'], acceptedNames: {}, conditions: [] },
});

/** What is said of a schema whose root has the one property `p`. */
const property = (p: JsonObject): JsonObject => ({ type: 'object', properties: { p } });
const errorsOf = (schema: JsonObject, cel?: CelCompiler): string[] =>
  createErrors({ ...kind, ...(cel && { context: { cel } }) }, definition(schema), {});

type SchemaCase = readonly [name: string, schema: JsonObject, errors: readonly string[]];

it.each<JsonObject>([{ additionalProperties: false }, { maxProperties: 0 }])(
  'the root of a kind with a status refuses %o',
  (part) => {
    const { spec, ...rest } = definition({ type: 'object', ...part }) as { spec: { versions: JsonObject[] } };
    const versions = spec.versions.map((version) => ({ ...version, subresources: { status: {} } }));
    const errors = createErrors(kind, { ...rest, spec: { ...spec, versions } } as JsonObject, {});
    expect(errors.join()).toContain(
      'fields are allowed at the root of the schema if the status subresource is enabled',
    );
  },
);

describe('structural schemas', () => {
  const cases: SchemaCase[] = [
    ['right', property({ type: 'string' }), []],
    ['no type at the root', {}, [`${ROOT}.type: Required value: must not be empty at the root`]],
    ['a string at the root', { type: 'string' }, [`${ROOT}.type: Invalid value: "string": must be object at the root`]],
    ['no type of a field', property({}), [`${P}.type: Required value: must not be empty for specified object fields`]],
    [
      'no type of an item',
      property({ type: 'array', items: {} }),
      [`${P}.items.type: Required value: must not be empty for specified array items`],
    ],
    ['a list of unknown', property({ type: 'array' }), [`${P}.items: Required value: must be specified`]],
    [
      'any fields at the root',
      { type: 'object', additionalProperties: true },
      [`${ROOT}.additionalProperties: Forbidden: must not be used at the root`],
    ],
    [
      'an integer or a string',
      property({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
      [],
    ],
    [
      'an integer or a string, in allOf',
      property({ 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }] }),
      [],
    ],
    [
      'a type in anyOf',
      property({ type: 'string', anyOf: [{ type: 'string' }] }),
      [`${P}.anyOf[0].type: Forbidden: must be empty to be structural`],
    ],
    [
      'a default in not',
      property({ type: 'string', not: { default: 'x' } }),
      [`${P}.not.default: Forbidden: must be undefined to be structural`],
    ],
    [
      'a description in oneOf',
      property({ type: 'string', oneOf: [{ description: 'x' }] }),
      [`${P}.oneOf[0].description: Forbidden: must be empty to be structural`],
    ],
    [
      'a field in allOf alone',
      { type: 'object', allOf: [{ properties: { p: { minLength: 1 } } }] },
      [`${P}: Required value: because it is defined in ${ROOT}.allOf[0].properties[p]`],
    ],
    [
      'a field in allOf alone, but not at the root',
      property({ type: 'object', allOf: [{ properties: { q: { minLength: 1 } } }] }),
      [],
    ],
    [
      'a pattern that is none',
      property({ type: 'string', pattern: '[' }),
      [
        `${P}.pattern: Invalid value: "[": must be a valid regular expression, but isn't: error parsing regexp: missing closing ]: \`[\``,
      ],
    ],
    [
      'metadata of their own',
      { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
      [
        `${ROOT}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`,
      ],
    ],
    [
      'metadata that is text',
      { type: 'object', properties: { metadata: { type: 'string' } } },
      [`${ROOT}.properties[metadata].type: Invalid value: "string": must be object`],
    ],
    [
      'an embedded resource of nothing',
      property({ type: 'object', 'x-kubernetes-embedded-resource': true }),
      [
        `${P}.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
      ],
    ],
  ];
  it.each(cases)('%s', (_name, schema, errors) => {
    expect(errorsOf(schema)).toEqual(errors);
  });
  it('has a limit to its depth', () => {
    let deep: JsonObject = { type: 'string' };
    for (let i = 0; i < 1001; i++) deep = property(deep);
    expect(errorsOf(deep)).toEqual([`${ROOT}: Forbidden: must not be nested more than 1000 levels deep`]);
  });
});

describe('allowed parts of a schema', () => {
  const list = (change: JsonObject, item: JsonObject = {}): JsonObject =>
    property({
      type: 'array',
      items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } }, ...item },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      ...change,
    });
  const cases: SchemaCase[] = [
    [
      'unique items',
      property({ type: 'array', items: { type: 'string' }, uniqueItems: true }),
      [`${P}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`],
    ],
    [
      'fields that are known and any',
      property({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } }),
      [`${P}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`],
    ],
    [
      'a nullable root',
      { type: 'object', nullable: true },
      [`${ROOT}.nullable: Forbidden: nullable cannot be true at the root`],
    ],
    ['a reference', property({ type: 'string', $ref: '#/x' }), [`${P}.$ref: Forbidden: $ref is not supported`]],
    [
      'definitions',
      property({ type: 'string', definitions: { a: {} } }),
      [`${P}.definitions: Forbidden: definitions is not supported`],
    ],
    [
      'a type that is no type',
      property({ type: 'null' }),
      [
        `${P}.type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"`,
        `${P}.type: Forbidden: type cannot be set to null, use nullable as an alternative`,
      ],
    ],
    [
      'unknown fields but no',
      property({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false }),
      [`${P}.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`],
    ],
    ['a list with keys', list({}), []],
    [
      'a list without keys',
      list({ 'x-kubernetes-list-map-keys': null }),
      [`${P}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`],
    ],
    [
      'keys of no list type',
      list({ 'x-kubernetes-list-type': null }),
      [`${P}.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty`],
    ],
    [
      'keys of a set',
      property({
        type: 'array',
        items: { type: 'string' },
        'x-kubernetes-list-type': 'set',
        'x-kubernetes-list-map-keys': ['k'],
      }),
      [`${P}.x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty`],
    ],
    [
      'keys that are no fields',
      list({ 'x-kubernetes-list-map-keys': ['z'] }),
      [`${P}.x-kubernetes-list-map-keys: Invalid value: ["z"]: entries must all be names of item properties`],
    ],
    [
      'a key twice',
      list({ 'x-kubernetes-list-map-keys': ['k', 'k'] }),
      [`${P}.x-kubernetes-list-map-keys: Invalid value: ["k","k"]: must not contain duplicate entries`],
    ],
    [
      'a key that need not be there',
      list({}, { required: [] }),
      [
        `${P}.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
      ],
    ],
    [
      'elements that may be null',
      list({}, { nullable: true }),
      [`${P}.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map`],
    ],
    [
      'a list type of text',
      property({ type: 'string', 'x-kubernetes-list-type': 'atomic' }),
      [`${P}.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified`],
    ],
    [
      'a list type of no kind',
      property({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'bag' }),
      [`${P}.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"`],
    ],
    [
      'a set of objects',
      property({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }),
      [
        `${P}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
      ],
    ],
    [
      'a set of atomic objects',
      property({
        type: 'array',
        items: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
        'x-kubernetes-list-type': 'set',
      }),
      [],
    ],
    [
      'a map type of no kind',
      property({ type: 'object', 'x-kubernetes-map-type': 'bag' }),
      [`${P}.x-kubernetes-map-type: Unsupported value: "bag": supported values: "atomic", "granular"`],
    ],
  ];
  it.each(cases)('%s', (_name, schema, errors) => {
    expect(errorsOf(schema)).toEqual(errors);
  });
});

describe('defaults', () => {
  const cases: SchemaCase[] = [
    ['right', property({ type: 'string', default: 'x' }), []],
    [
      'of another type',
      property({ type: 'string', default: 1 }),
      [`${P}.default: Invalid value: "integer":  in body must be of type string: "integer"`],
    ],
    [
      'outside of the enumeration',
      property({ type: 'string', enum: ['a', 'b'], default: 'c' }),
      [`${P}.default: Unsupported value: "c": supported values: "a", "b"`],
    ],
    [
      'with unknown fields',
      property({ type: 'object', properties: { a: { type: 'string' } }, default: { z: 1 } }),
      [`${P}.default: Invalid value: {"z":1}: must not have unknown fields`],
    ],
    [
      'in top-level metadata',
      {
        type: 'object',
        properties: { metadata: { type: 'object', properties: { name: { type: 'string', default: 'x' } } } },
      },
      [`${ROOT}.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata`],
    ],
  ];
  it.each(cases)('%s', (_name, schema, errors) => {
    expect(errorsOf(schema)).toEqual(errors);
  });
});

interface FakeCel {
  readonly compile?: (rule: CelSchemaRule) => Partial<CelCompilation>;
  readonly failures?: readonly CelValueFailure[];
}

const COMPILED: CelCompilation = { maxCost: 1, maxCardinality: 1, usesOldSelf: false };

const fakeCel = ({ compile, failures }: FakeCel = {}): CelCompiler => ({
  compileSchemaRule: (rule) => ({ ...COMPILED, ...compile?.(rule) }),
  compileAdmissionExpression: () => COMPILED,
  compileDeviceSelector: () => COMPILED,
  evaluateSchemaRules: () => failures ?? [],
});

describe('rules', () => {
  const ruled = (rule: JsonObject): JsonObject =>
    property({
      type: 'object',
      properties: { a: { type: 'string' } },
      'x-kubernetes-validations': [{ rule: 'true', ...rule }],
    });
  const RULE = `${P}.x-kubernetes-validations[0]`;
  const forms: SchemaCase[] = [
    ['right', ruled({ message: 'no', reason: 'FieldValueForbidden', fieldPath: '.a' }), []],
    ['blank', ruled({ rule: ' ' }), [`${RULE}.rule: Required value: rule is not specified`]],
    [
      'a blank message',
      ruled({ message: ' ' }),
      [`${RULE}.message: Invalid value: " ": must be non-empty if specified`],
    ],
    [
      'a message of two lines',
      ruled({ message: 'a\nb' }),
      [`${RULE}.message: Invalid value: "a\\nb": must not contain line breaks`],
    ],
    [
      'two lines without a message',
      ruled({ rule: 'true\n&& true' }),
      [`${RULE}.message: Required value: message must be specified if rule contains line breaks`],
    ],
    [
      'a blank expression for the message',
      ruled({ messageExpression: ' ' }),
      [`${RULE}.messageExpression: Required value: messageExpression must be non-empty if specified`],
    ],
    [
      'a reason of their own',
      ruled({ reason: 'Because' }),
      [
        `${RULE}.reason: Unsupported value: "Because": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
      ],
    ],
    ['a path to nowhere', ruled({ fieldPath: '.z' }), [`${RULE}.fieldPath: Invalid value: ".z": must be a valid path`]],
  ];
  it.each(forms)('%s', (_name, schema, errors) => {
    expect(errorsOf(schema)).toEqual(errors);
  });

  const compiled: [string, JsonObject, Partial<CelCompilation>, string[]][] = [
    ['that compile', ruled({}), {}, []],
    [
      'that do not',
      ruled({}),
      { error: { type: 'invalid', detail: 'compilation failed: no' } },
      [
        `${RULE}.rule: Invalid value: {"Rule":"true","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: no`,
      ],
    ],
    [
      'that cost too much',
      ruled({}),
      { maxCost: 20_000_000 },
      [
        `${RULE}.rule: Forbidden: estimated rule cost exceeds budget by factor of 2.0x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`,
      ],
    ],
    [
      'that need no predecessor',
      ruled({ optionalOldSelf: true }),
      {},
      [`${RULE}.optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`],
    ],
    [
      'of elements that have no predecessor',
      property({ type: 'array', maxItems: 2, items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'r' }] } }),
      { usesOldSelf: true },
      [
        `${P}.items.x-kubernetes-validations[0].rule: Invalid value: "r": oldSelf cannot be used on the uncorrelatable portion of the schema within ${P}`,
      ],
    ],
    [
      'of properties of an atomic map, which have one',
      property({
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        properties: { major: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'r' }] } },
      }),
      { usesOldSelf: true },
      [],
    ],
  ];
  it.each(compiled)('%s', (_name, schema, compilation, errors) => {
    expect(errorsOf(schema, fakeCel({ compile: () => compilation }))).toEqual(errors);
  });

  it('cost as often as they run', () => {
    const items = (maxItems: number): JsonObject =>
      property({ type: 'array', maxItems, items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'r' }] } });
    const cel = fakeCel({ compile: () => ({ maxCost: 1_000_000, maxCardinality: 1_000_000 }) });
    expect(errorsOf(items(10), cel)).toEqual([]);
    expect(errorsOf(items(11), cel)).toEqual([
      expect.stringMatching(/estimated rule cost exceeds budget by factor of 1\.100000x/),
    ]);
    const unbounded = property({
      type: 'array',
      items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'r' }] },
    });
    expect(errorsOf(unbounded, cel)[0]).toMatch(/budget by factor of more than 100x/);
  });

  it('cost together no more than a schema may', () => {
    const rules = Array.from({ length: 11 }, () => ({ rule: 'r' }));
    const errors = errorsOf(
      property({ type: 'object', 'x-kubernetes-validations': rules }),
      fakeCel({ compile: () => ({ maxCost: 9_500_000 }) }),
    );
    expect(errors).toHaveLength(5);
    expect(errors[0]).toBe(
      `${RULE}.rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
    );
    expect(errors[4]).toMatch(
      /^spec\.validation\.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1\.045000x/,
    );
  });

  it('are not compiled where the schema is wrong', () => {
    let asked = 0;
    const cel = fakeCel({ compile: () => ({ maxCost: ++asked }) });
    errorsOf(property({ type: 'object', uniqueItems: true, 'x-kubernetes-validations': [{ rule: 'r' }] }), cel);
    expect(asked).toBe(0);
  });

  it('hold for defaults', () => {
    const failures: CelValueFailure[] = [{ field: 'a', reason: 'FieldValueInvalid', value: 'x', detail: 'not x' }];
    const schema = property({ type: 'object', properties: { a: { type: 'string' } }, default: { a: 'x' } });
    expect(errorsOf(schema, fakeCel({ failures }))).toEqual([`${P}.default.a: Invalid value: "x": not x`]);
  });

  it('see the whole resource at the root', () => {
    const roots: boolean[] = [];
    const cel = fakeCel({ compile: ({ isResourceRoot }) => (roots.push(isResourceRoot), {}) });
    const rules = [{ rule: 'r' }];
    errorsOf(
      { ...property({ type: 'object', 'x-kubernetes-validations': rules }), 'x-kubernetes-validations': rules },
      cel,
    );
    expect(roots).toEqual([false, true]);
  });
});
