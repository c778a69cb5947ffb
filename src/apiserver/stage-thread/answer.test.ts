import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import { fromPieces, runSteps } from '../../base/index.ts';
import { managedFieldsText, updateManagedFields } from '../../machinery/apply/index.ts';
import { decodeObject, encodeYaml } from '../../machinery/decode/index.ts';
import { applyDefaults } from '../../machinery/defaulting/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { answerTo } from './answer.ts';
import { Definitions } from './definitions.ts';
import type { CustomReference } from './messages.ts';
import type { StageInput, StageName, StageOutput } from './stages.ts';

const POD = { group: '', version: 'v1', kind: 'Pod' };
const NOW = '2026-11-17T00:00:00Z';
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'A', value: 'b' }] }], unknown: 1, tolerations: [] },
};
const body = Buffer.from(JSON.stringify(pod));

let definitions = new Definitions();

function outputOf<Name extends StageName>(
  stage: Name,
  input: StageInput<Name>,
  custom?: CustomReference,
): StageOutput<Name> {
  const answer = answerTo({ id: 1, stage, input, ...(custom ? { custom } : {}) }, definitions);
  if (!('output' in answer)) throw new Error(JSON.stringify(answer));
  // As the messages between threads carry it.
  return structuredClone(answer.output);
}

const complete = (): KubeObject =>
  applyDefaults(POD, decodeObject({ body, contentType: 'json', expected: POD }).object, { now: NOW });

describe('stages of large requests', () => {
  it('decode: the object that the main thread would decode, with its defaults', () => {
    const decoded = outputOf('decode', { body, format: 'json', expected: POD, now: NOW });
    expect(runSteps(fromPieces(decoded.object))).toEqual(complete());
    expect(decoded.strictErrors).toEqual(['unknown field "spec.unknown"']);
    expect(runSteps(fromPieces(decoded.written!))).toEqual({ body: pod });
  });

  it('decode: refuses as the main thread would', () => {
    const refused = Buffer.from('{"kind":"Pod","apiVersion":"v1","spec":1}');
    const input = { body: refused, format: 'json', expected: POD, now: NOW } as const;
    const answer = answerTo({ id: 2, stage: 'decode', input }, definitions);
    expect(answer).toMatchObject({ id: 2, refusal: { code: 400, reason: 'BadRequest' } });
  });

  it('decode: keeps integers that JSON.parse would round', () => {
    const revision = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: 'r' },
      data: { n: 0 },
      revision: 1,
    };
    const text = JSON.stringify(revision).replace('"n":0', '"n":9007199254740993');
    const expected = { group: 'apps', version: 'v1', kind: 'ControllerRevision' };
    const { object } = outputOf('decode', { body: Buffer.from(text), format: 'json', expected, now: NOW });
    expect(runSteps(fromPieces(object))).toMatchObject({ data: { n: 9007199254740993n } });
  });

  it('decode: refuses an object that its defaults would make too large', () => {
    const containers = Array.from({ length: 60_000 }, () => ({}));
    const many = Buffer.from(JSON.stringify({ ...pod, spec: { containers } }));
    const input = { body: many, format: 'json', expected: POD, now: NOW } as const;
    expect(answerTo({ id: 3, stage: 'decode', input }, definitions)).toMatchObject({
      refusal: { code: 413, message: 'Request entity too large: limit is 3145728' },
    });
  });

  it('trackFields: the managedFields that the main thread would set', () => {
    const update = { manager: 'm', apiVersion: 'v1', subresource: '', now: NOW, resetFields: [['status']] };
    const live = complete();
    const updated = { ...live, metadata: { ...live.metadata, labels: { a: 'c' } } };
    for (const before of [undefined, live]) {
      const { entries, fields } = outputOf('trackFields', {
        ...update,
        kind: POD,
        updated: JSON.stringify(updated),
        ...(before ? { live: JSON.stringify(before) } : {}),
      });
      const text = managedFieldsText(
        (entries ?? []).map((entry, i) => ({ ...entry, fieldsV1: runSteps(fromPieces(fields[i]!.pieces)) as object })),
      );
      const { managedFields } = updateManagedFields({
        ...update,
        live: before,
        updated,
        schemaMessage: schema.kind(POD)!,
      }).metadata;
      expect(text).toBe(managedFieldsText(managedFields ?? []));
    }
  });

  it('encode: the object as a client wants it, as an item of a list too', () => {
    const object = JSON.stringify(complete());
    const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
    const form = { mediaType: 'application/yaml', pretty: false } as const;
    expect(text(outputOf('encode', { object, form, kindName: 'Pod' }))).toBe(encodeYaml(complete()).toString());
    const indented = { mediaType: 'application/json', pretty: true } as const;
    expect(text(outputOf('encode', { object, form: indented, kindName: 'Pod' }))).toBe(
      JSON.stringify(complete(), null, 2),
    );
    const item = Buffer.from(object);
    expect(text(outputOf('encodeItem', { item, form: 'yaml' }))).toBe(encodeYaml([complete()]).toString());
    expect(JSON.parse(text(outputOf('encodeItem', { item, form: 'indented' })))).toEqual(complete());
    const protobuf = outputOf('encodeItem', { item, form: { kind: 'Pod', apiVersion: 'v1' } });
    expect(protobuf.length).toBeGreaterThan(50);
  });

  it('validate: the Status of an invalid object, the warnings of a valid one', () => {
    const input = {
      resource: { group: '', version: 'v1', plural: 'pods', namespaced: true },
      errorKind: { group: '', kind: 'Pod' },
      name: 'p',
      subresource: '',
      context: { allowPrivileged: true, features: {} },
      compilesCel: true,
    };
    const valid = complete();
    expect(outputOf('validate', { ...input, object: JSON.stringify(valid) })).toEqual([]);
    const { name: _, ...metadata } = valid.metadata;
    const invalid = JSON.stringify({ ...valid, metadata });
    const refused = { ...input, object: invalid };
    expect(answerTo({ id: 4, stage: 'validate', input: refused }, definitions)).toMatchObject({
      refusal: { code: 422, reason: 'Invalid' },
    });
    const other = JSON.stringify({ ...valid, metadata: { ...valid.metadata, name: 'q' } });
    const changed = { ...input, object: other, old: JSON.stringify(valid) };
    expect(answerTo({ id: 5, stage: 'validate', input: changed }, definitions)).toMatchObject({
      refusal: { code: 422 },
    });
  });
});

describe('stages of custom resources', () => {
  const LARGE = 'large'.repeat(40);
  const spec = {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', default: 3, maximum: 10 },
                  parts: {
                    type: 'array',
                    items: { type: 'object', properties: { name: { type: 'string' }, size: { default: LARGE } } },
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                  },
                },
                'x-kubernetes-validations': [{ rule: 'self.size != 7', message: 'not seven' }],
              },
            },
          },
        },
      },
    ],
  };
  const WIDGET = { group: 'example.com', version: 'v1', kind: 'Widget' };
  const reference = { definition: 1, version: 'v1', spec: JSON.stringify(spec) };
  const widget = (fields: object): object => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'default' },
    spec: fields,
  });
  const decodeInput = (fields: object) =>
    ({ body: Buffer.from(JSON.stringify(widget(fields))), format: 'json', expected: WIDGET, now: NOW }) as const;
  const validateInput = (fields: object): StageInput<'validate'> => ({
    resource: { group: 'example.com', version: 'v1', plural: 'widgets', namespaced: true },
    errorKind: { group: 'example.com', kind: 'Widget' },
    name: 'w',
    subresource: '',
    object: JSON.stringify(widget(fields)),
    context: { allowPrivileged: true, features: {} },
    compilesCel: true,
  });

  it('requests a definition once, and again when it was dropped', () => {
    definitions = new Definitions();
    const { spec: _, ...known } = reference;
    const question = { id: 6, stage: 'decode', input: decodeInput({}), custom: known } as const;
    expect(answerTo(question, definitions)).toEqual({ id: 6, lacksDefinition: true });
    expect(answerTo({ ...question, custom: reference }, definitions)).toHaveProperty('output');
    expect(answerTo(question, definitions)).toHaveProperty('output');
    definitions.forget(1);
    expect(answerTo(question, definitions)).toEqual({ id: 6, lacksDefinition: true });
  });

  it('decode: prunes and sets the defaults of the schema', () => {
    const { object, strictErrors } = outputOf('decode', decodeInput({ parts: [{ name: 'a' }], other: 1 }), reference);
    expect(runSteps(fromPieces(object))).toEqual(widget({ parts: [{ name: 'a', size: LARGE }], size: 3 }));
    expect(strictErrors).toEqual(['unknown field "spec.other"']);
  });

  it('decode: refuses an object that the defaults of its schema would make too large', () => {
    const input = decodeInput({ parts: Array.from({ length: 20_000 }, () => ({})) });
    expect(answerTo({ id: 7, stage: 'decode', input, custom: reference }, definitions)).toMatchObject({
      refusal: { code: 413, reason: 'RequestEntityTooLarge' },
    });
  });

  it('validate: by the schema, its list types and its rules', () => {
    expect(outputOf('validate', validateInput({ size: 1 }), reference)).toEqual([]);
    const refusals: [object, string][] = [
      [{ size: 11 }, 'spec.size'],
      [{ parts: [{ name: 'a' }, { name: 'a' }] }, 'Duplicate value'],
      [{ size: 7 }, 'not seven'],
    ];
    for (const [fields, text] of refusals) {
      const answer = answerTo(
        { id: 8, stage: 'validate', input: validateInput(fields), custom: reference },
        definitions,
      );
      expect(answer).toMatchObject({ refusal: { code: 422, message: expect.stringContaining(text) as string } });
    }
  });

  it('trackFields, patch and apply: by the types of the schema', () => {
    const live = JSON.stringify(widget({ size: 1, parts: [{ name: 'a', size: 'small' }] }));
    const update = { manager: 'm', subresource: '', now: NOW, resetFields: [] };
    const tracked = outputOf(
      'trackFields',
      { ...update, kind: WIDGET, updated: live, apiVersion: 'example.com/v1' },
      reference,
    );
    expect(tracked.fields[0]!.text).toContain('"k:{\\"name\\":\\"a\\"}"');
    const patching = {
      type: 'application/merge-patch+json',
      body: Buffer.from('{"spec":{"size":null,"other":2}}'),
      live,
      kind: WIDGET,
      fieldValidation: 'Warn',
      now: NOW,
    } as const;
    const patched = outputOf('patch', patching, reference);
    expect(runSteps(fromPieces(patched.object))).toMatchObject({ spec: { size: 3 } });
    expect(patched.strictErrors).toEqual(['unknown field "spec.other"']);
    const body = Buffer.from(JSON.stringify(widget({ parts: [{ name: 'b' }] })));
    const applied = outputOf('apply', { ...update, body, live, kind: WIDGET, force: false }, reference);
    expect(runSteps(fromPieces(applied))).toMatchObject({
      spec: {
        size: 1,
        parts: [
          { name: 'a', size: 'small' },
          { name: 'b', size: LARGE },
        ],
      },
    });
  });
});
