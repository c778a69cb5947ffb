import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import { createErrors, updateErrors, type Case } from '../testing/cases.ts';

const kind = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions', namespaced: false };
const schema: JsonObject = {
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { a: { type: 'string' }, n: { type: 'number' } } } },
  },
};
const v1: JsonObject = { name: 'v1', served: true, storage: true, schema };
const right: JsonObject = {
  metadata: { name: 'rockets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'rockets', singular: 'rocket', kind: 'Rocket', listKind: 'RocketList' },
    versions: [v1],
    conversion: { strategy: 'None' },
  },
  status: { storedVersions: ['v1'], acceptedNames: {}, conditions: [] },
};
const versions = (...list: JsonObject[]): JsonObject => ({ spec: { versions: list } });
const version = (change: JsonObject): JsonObject => versions({ ...v1, ...change });
const DNS_LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const text = (pattern: RegExp): string => expect.stringMatching(pattern) as unknown as string;

describe('definitions', () => {
  const cases: Case[] = [
    ['right', {}, []],
    [
      'a name that is not theirs',
      { metadata: { name: 'x.example.com' } },
      ['metadata.name: Invalid value: "x.example.com": must be spec.names.plural+"."+spec.group'],
    ],
    [
      'a group without a dot',
      { metadata: { name: 'rockets.example' }, spec: { group: 'example' } },
      ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
    ],
    ['no scope', { spec: { scope: null } }, ['spec.scope: Required value']],
    [
      'another scope',
      { spec: { scope: 'World' } },
      ['spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"'],
    ],
    ['no kind', { spec: { names: { kind: null } } }, ['spec.names.kind: Required value']],
    [
      'a kind with a space',
      { spec: { names: { kind: 'A B' } } },
      [`spec.names.kind: Invalid value: "A B": may have mixed case, but should otherwise match: ${DNS_LABEL}`],
    ],
    [
      'a list that is its kind',
      { spec: { names: { listKind: 'Rocket' } } },
      ['spec.names.listKind: Invalid value: "Rocket": kind and listKind may not be the same'],
    ],
    [
      'short names in capitals',
      { spec: { names: { shortNames: ['R'] } } },
      [`spec.names.shortNames[0]: Invalid value: "R": ${DNS_LABEL}`],
    ],
    [
      'a version twice',
      versions(v1, { ...v1, storage: false }),
      [text(/^spec\.versions: Invalid value: \[.*\]: must contain unique version names$/)],
    ],
    [
      'no stored version',
      version({ storage: false }),
      [text(/^spec\.versions: Invalid value: \[.*\]: must have exactly one version marked as storage version$/)],
    ],
    [
      'a version without a schema',
      version({ schema: null }),
      ['spec.versions[0].schema.openAPIV3Schema: Required value'],
    ],
    [
      'a version that warns',
      version({ deprecationWarning: 'old' }),
      ['spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions'],
    ],
    [
      'a version that warns of nothing',
      version({ deprecated: true, deprecationWarning: '' }),
      ['spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string'],
    ],
    [
      'a version that warns in two lines',
      version({ deprecated: true, deprecationWarning: 'é\n' }),
      [
        'spec.versions[0].deprecationWarning: Invalid value: "é\\n": must only contain printable UTF-8 characters; non-printable character found at index 2',
      ],
    ],
    [
      'unknown fields for all',
      { spec: { preserveUnknownFields: true } },
      [
        'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    ],
    [
      'a stored version that is gone',
      { status: { storedVersions: ['v1', 'v0'] } },
      [
        'status.storedVersions[1]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
      ],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });

  const established: JsonObject = {
    ...right,
    status: { ...(right['status'] as JsonObject), conditions: [{ type: 'Established', status: 'True' }] },
  };
  const updates: Case[] = [
    ['another scope', { spec: { scope: 'Cluster' } }, ['spec.scope: Invalid value: "Cluster": field is immutable']],
    [
      'another kind',
      { spec: { names: { kind: 'Ship' } } },
      ['spec.names.kind: Invalid value: "Ship": field is immutable'],
    ],
    ['another group', { spec: { group: 'b.com' } }, ['spec.group: Invalid value: "b.com": field is immutable']],
    [
      'another plural',
      { spec: { names: { plural: 'ships' } } },
      ['spec.names.plural: Invalid value: "ships": field is immutable'],
    ],
    ['more columns', version({ additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }] }), []],
  ];
  it.each(updates)('update: %s', (_name, change, errors) => {
    expect(updateErrors(kind, established, change)).toEqual(errors);
  });
  it('may change scope and kind before they are served', () => {
    expect(updateErrors(kind, right, { spec: { scope: 'Cluster', names: { kind: 'Ship' } } })).toEqual([]);
  });
  it('need not be better than they were', () => {
    const untyped: JsonObject = { openAPIV3Schema: { type: 'object', properties: { a: { type: 'text' } } } };
    expect(createErrors(kind, right, version({ schema: untyped }))).toEqual([
      'spec.validation.openAPIV3Schema.properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ]);
    const stored = {
      ...established,
      spec: { ...(right['spec'] as JsonObject), versions: [{ ...v1, schema: untyped }] },
    };
    expect(updateErrors(kind, stored, { spec: { names: { categories: ['all'] } } })).toEqual([]);
  });
});

describe("Kubernetes' own groups", () => {
  const own: JsonObject = { metadata: { name: 'rockets.a.k8s.io' }, spec: { group: 'a.k8s.io' } };
  const approved = (annotation: string): JsonObject => ({
    ...own,
    metadata: { name: 'rockets.a.k8s.io', annotations: { 'api-approved.kubernetes.io': annotation } },
  });
  const AT = 'metadata.annotations[api-approved.kubernetes.io]';
  const cases: Case[] = [
    [
      'not reviewed',
      own,
      [
        `${AT}: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111`,
      ],
    ],
    ['reviewed', approved('https://github.com/kubernetes/kubernetes/pull/1'), []],
    ['knowingly not reviewed', approved('unapproved, experimental'), []],
    [
      'reviewed by hearsay',
      approved('yes'),
      [
        `${AT}: Invalid value: "yes": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`,
      ],
    ],
  ];
  it.each(cases)('%s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
});

describe('conversion', () => {
  const webhook: JsonObject = { clientConfig: { url: 'https://a.io/convert' }, conversionReviewVersions: ['v1'] };
  const conversion = (change: JsonObject): JsonObject => ({ spec: { conversion: change } });
  const AT = 'spec.conversion';
  const cases: Case[] = [
    ['by a webhook', conversion({ strategy: 'Webhook', webhook }), []],
    [
      'by magic',
      conversion({ strategy: 'Magic' }),
      [`${AT}.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"`],
    ],
    [
      'by no webhook',
      conversion({ strategy: 'Webhook' }),
      [
        `${AT}.webhookClientConfig: Required value: required when strategy is set to Webhook`,
        `${AT}.conversionReviewVersions: Required value`,
      ],
    ],
    [
      'by none and a webhook',
      conversion({ webhook }),
      [
        `${AT}.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook`,
        `${AT}.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook`,
      ],
    ],
    [
      'in unknown versions',
      conversion({ strategy: 'Webhook', webhook: { ...webhook, conversionReviewVersions: ['v2'] } }),
      [`${AT}.conversionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1`],
    ],
    [
      'in a version twice',
      conversion({ strategy: 'Webhook', webhook: { ...webhook, conversionReviewVersions: ['v1', 'v1'] } }),
      [`${AT}.conversionReviewVersions[1]: Invalid value: "v1": duplicate version`],
    ],
    [
      'by plain http',
      conversion({ strategy: 'Webhook', webhook: { ...webhook, clientConfig: { url: 'http://a.io' } } }),
      [
        text(
          /^spec\.conversion\.webhookClientConfig\.url: Invalid value: "http": 'https' is the only allowed URL scheme/,
        ),
      ],
    ],
  ];
  it.each(cases)('%s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
});

describe('the parts of a version', () => {
  const scale = (change: JsonObject): JsonObject =>
    version({ subresources: { scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n', ...change } } });
  const column = (change: JsonObject): JsonObject =>
    version({ additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a', ...change }] });
  const fields = (...paths: string[]): JsonObject =>
    version({ selectableFields: paths.map((jsonPath) => ({ jsonPath })) });
  const [SCALE, COLUMN, FIELD] = [
    'spec.subresources.scale',
    'spec.additionalPrinterColumns[0]',
    'spec.selectableFields[0].jsonPath',
  ];
  const nine: JsonObject = {
    openAPIV3Schema: {
      type: 'object',
      properties: Object.fromEntries(Array.from('abcdefghi', (name) => [name, { type: 'string' }])),
    },
  };
  const cases: Case[] = [
    ['scales', scale({ labelSelectorPath: '.status.selector' }), []],
    [
      'scales the wrong half',
      scale({ specReplicasPath: '.status.n' }),
      [`${SCALE}.specReplicasPath: Invalid value: ".status.n": should be a json path under .spec`],
    ],
    [
      'scales by a path without a dot',
      scale({ statusReplicasPath: 'status.n' }),
      [`${SCALE}.statusReplicasPath: Invalid value: "status.n": must be a simple json path starting with .`],
    ],
    [
      'selects by metadata',
      scale({ labelSelectorPath: '.metadata.x' }),
      [`${SCALE}.labelSelectorPath: Invalid value: ".metadata.x": should be a json path under either .spec or .status`],
    ],
    ['a column without a name', column({ name: '' }), [`${COLUMN}.name: Required value`]],
    [
      'a column of objects',
      column({ type: 'object' }),
      [`${COLUMN}.type: Invalid value: "object": must be one of boolean,date,integer,number,string`],
    ],
    ['a column of no path', column({ jsonPath: '' }), [`${COLUMN}.JSONPath: Required value`]],
    [
      'a column in a strange format',
      column({ format: 'x' }),
      [`${COLUMN}.format: Invalid value: "x": must be one of byte,date,date-time,double,float,int32,int64,password`],
    ],
    ['a field', fields('.spec.a'), []],
    [
      'a field of another type',
      fields('.spec.n'),
      [
        `${FIELD}: Invalid value: ".spec.n": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.`,
      ],
    ],
    [
      'a field that is not there',
      fields('.spec.z'),
      [`${FIELD}: Invalid value: ".spec.z": is an invalid path: does not refer to a valid field`],
    ],
    [
      'a field in brackets',
      fields(".spec['a']"),
      [`${FIELD}: Invalid value: ".spec['a']": is an invalid path: array notation is not allowed`],
    ],
    ['a field twice', fields('.spec.a', '.spec.a'), ['spec.selectableFields[1].jsonPath: Duplicate value: ".spec.a"']],
    [
      'too many fields',
      versions({
        ...v1,
        schema: nine,
        selectableFields: Array.from('abcdefghi', (name) => ({ jsonPath: `.${name}` })),
      }),
      ['spec.selectableFields: Too many: 9: must have at most 8 items'],
    ],
  ];
  it.each(cases)('%s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
});
