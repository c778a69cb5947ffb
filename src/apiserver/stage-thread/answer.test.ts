import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import { fromPieces, runSteps } from '../../base/index.ts';
import { managedFieldsText, updateManagedFields } from '../../machinery/apply/index.ts';
import { decodeObject } from '../../machinery/decode/index.ts';
import { applyDefaults } from '../../machinery/defaulting/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { answerTo } from './answer.ts';
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

function outputOf<Name extends StageName>(stage: Name, input: StageInput<Name>): StageOutput<Name> {
  const answer = answerTo({ id: 1, stage, input });
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
    const answer = answerTo({
      id: 2,
      stage: 'decode',
      input: {
        body: Buffer.from('{"kind":"Pod","apiVersion":"v1","spec":1}'),
        format: 'json',
        expected: POD,
        now: NOW,
      },
    });
    expect(answer).toMatchObject({ id: 2, refusal: { code: 400, reason: 'BadRequest' } });
  });

  it('decode: leaves integers that JSON.parse would round to the main thread', () => {
    const revision = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: 'r' },
      data: { n: 0 },
      revision: 1,
    };
    const text = JSON.stringify(revision).replace('"n":0', '"n":9007199254740993');
    const expected = { group: 'apps', version: 'v1', kind: 'ControllerRevision' };
    const input = { body: Buffer.from(text), format: 'json', expected, now: NOW } as const;
    expect(answerTo({ id: 3, stage: 'decode', input })).toEqual({ id: 3, unfit: true });
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
    expect(answerTo({ id: 4, stage: 'validate', input: { ...input, object: invalid } })).toMatchObject({
      refusal: { code: 422, reason: 'Invalid' },
    });
    const other = JSON.stringify({ ...valid, metadata: { ...valid.metadata, name: 'q' } });
    expect(
      answerTo({ id: 5, stage: 'validate', input: { ...input, object: other, old: JSON.stringify(valid) } }),
    ).toMatchObject({ refusal: { code: 422 } });
  });
});
