import { describe, expect, it } from 'vitest';
import { KindSchema, pathAt, wrongValue, type SchemaDocument } from './schema.ts';

const document: SchemaDocument = {
  components: {
    schemas: {
      'io.k8s.Widget': {
        'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Widget' }],
        type: 'object',
        properties: {
          spec: { description: 'what is wanted', allOf: [{ $ref: '#/components/schemas/io.k8s.WidgetSpec' }] },
          data: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
      'io.k8s.WidgetSpec': {
        type: 'object',
        properties: {
          speed: { type: 'integer' },
          parts: { type: 'array', items: { $ref: '#/components/schemas/io.k8s.Part' } },
        },
      },
      'io.k8s.Part': { type: 'object', properties: { name: { type: 'string' }, size: { type: 'integer' } } },
    },
  },
};

describe('a kind of the OpenAPI', () => {
  const kind = KindSchema.find(document, 'example.com/v1', 'Widget')!;

  it.each([
    [[], ['data', 'spec']],
    [['spec'], ['parts', 'speed']],
    [
      ['spec', 'parts', '[]'],
      ['name', 'size'],
    ],
    [['data', 'constructor'], []],
  ])('has fields at %j', (path, fields) => {
    expect(Object.keys(kind.at(path)?.properties ?? {}).sort()).toEqual(fields);
  });

  it('knows no other kind, and no field by accident', () => {
    expect(KindSchema.find(document, 'v1', 'Widget')).toBeUndefined();
    expect(kind.at(['constructor'])).toBeUndefined();
    expect(kind.at(['spec', 'nothing', 'below'])).toBeUndefined();
  });
});

describe('the path of a place in YAML', () => {
  const lines = [
    'spec:', // 0
    '  template:', // 1
    '    spec:', // 2
    '      containers:', // 3
    '      - name: main', // 4
    '        image: web', // 5
    '        ports:', // 6
    '          - containerPort: 80', // 7
    '            ', // 8
    '      volumes:', // 9
    '        ', // 10
  ];
  it.each([
    [1, 2, ['spec']],
    [3, 6, ['spec', 'template', 'spec']],
    [5, 8, ['spec', 'template', 'spec', 'containers', '[]']],
    [8, 12, ['spec', 'template', 'spec', 'containers', '[]', 'ports', '[]']],
    [10, 8, ['spec', 'template', 'spec', 'volumes']],
  ])('line %i at %i', (line, indent, path) => {
    expect(pathAt(lines, line, indent)).toEqual(path);
  });
});

it.each([
  [{ type: 'integer' }, 'two', 'a whole number is expected here'],
  [{ type: 'integer' }, 2, undefined],
  [{ type: 'string' }, 8080, 'text is expected here: put it in quotes'],
  [{ type: 'string', format: 'int-or-string' }, 8080, undefined],
  [{ type: 'boolean' }, 'yes', 'true or false is expected here'],
  [{ type: 'array' }, { a: 1 }, 'a list is expected here'],
  [{ type: 'object' }, 'text', 'fields are expected here'],
  [{ type: 'string', enum: ['Always', 'Never'] }, 'Sometimes', 'must be one of Always, Never'],
  [{}, 'anything', undefined],
])('%j and %j: %s', (schema, value, problem) => {
  expect(wrongValue(schema, value)).toBe(problem);
});
