import { describe, expect, it } from 'vitest';
import { field, message, type PackageDeclaration } from '../../api/declare.ts';
import { schema } from '../../api/index.ts';
import { linkSchema } from '../../api/link-schema.ts';
import type { Message } from '../../api/schema.ts';
import { StatusError } from '../errors/status.ts';
import { canonicalize, conform } from './index.ts';

const OBJECT_META = schema.message('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');

/** A message with so many fields that they do not fit into two words of bits. */
function largeMessage(): Message {
  const fields = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [
      `f${i}`,
      field(i + 1, i % 10 === 0 ? '*string' : 'int32', '', i === 90 ? { keep: true } : {}),
    ]),
  );
  const pkg: PackageDeclaration = {
    alias: 'x',
    group: 'x',
    version: 'v1',
    prefix: 'x.v1',
    strings: {},
    kinds: [],
    messages: { Large: message('', fields) },
  };
  return linkSchema([pkg]).message('x.v1.Large');
}

describe('values that are not bodies', () => {
  it('reports unknown fields and keeps the rest', () => {
    expect(conform(OBJECT_META, { name: 'a', bogus: 1, labels: { b: '1', a: '2' } })).toEqual({
      object: { name: 'a', labels: { a: '2', b: '1' } },
      strictErrors: ['unknown field "bogus"'],
    });
    expect(canonicalize(OBJECT_META, { bogus: 1, name: 'a' })).toEqual({ name: 'a' });
  });

  it('omits undefined values', () => {
    expect(conform(OBJECT_META, { name: 'a', namespace: undefined })).toEqual({
      object: { name: 'a' },
      strictErrors: [],
    });
  });

  it.each([
    [{ labels: { a: 5 } }, 'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string'],
    [{ labels: [] }, 'json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string'],
    [[], 'json: cannot unmarshal array into Go value of type v1.ObjectMeta'],
  ])('%j is refused', (value, expected) => {
    expect(() => conform(OBJECT_META, value)).toThrow(expected);
    expect(() => canonicalize(OBJECT_META, value)).toThrow(StatusError);
  });

  it('does not change its input', () => {
    const value = Object.freeze({
      name: 'a',
      labels: Object.freeze({ b: '', a: '' }),
      ownerReferences: Object.freeze([]),
    });
    expect(canonicalize(OBJECT_META, value)).toEqual({ name: 'a', labels: { a: '', b: '' } });
  });

  it('distinguishes an empty list from an absent one where that matters, but not for the store', () => {
    const spec = schema.message('io.k8s.api.networking.v1.IngressSpec');
    expect(conform(spec, { rules: [], tls: [] }).object).toEqual({ rules: [] });
    expect(canonicalize(spec, { rules: [], tls: [] })).toEqual({});
  });

  it('distinguishes empty lists of metadata where a template may have none', () => {
    const template = schema.message('io.k8s.api.core.v1.PersistentVolumeClaimTemplate');
    const metadata = { finalizers: [], labels: {} };
    expect(conform(template, { metadata, spec: {} }).object).toMatchObject({ metadata: { finalizers: [] } });
    expect(canonicalize(template, { metadata, spec: {} })).toMatchObject({ metadata: {} });
    expect(conform(OBJECT_META, metadata).object).toEqual({});
  });

  it('keeps an empty list of objects', () => {
    const podList = schema.message('io.k8s.api.core.v1.PodList');
    expect(canonicalize(podList, { items: [] })).toEqual({ metadata: {}, items: [] });
    expect(canonicalize(podList, {})).toEqual({ metadata: {}, items: [] });
  });

  it('accepts messages with any number of fields', () => {
    const message = largeMessage();
    expect(Object.keys(conform(message, { f99: 5, f80: '', f1: 1, f2: 0 }).object)).toEqual([
      'f1',
      'f80',
      'f90',
      'f99',
    ]);
    expect(conform(message, { f100: 1 }).strictErrors).toEqual(['unknown field "f100"']);
  });
});
