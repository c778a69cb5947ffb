import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import type { Resource } from '../../api/schema.ts';
import { apiVersionOf } from '../../api/schema.ts';
import { isRecord } from '../../base/index.ts';
import { setOwn } from '../../base/own-property.ts';
import { StatusError } from '../errors/status.ts';
import type { KubeObject } from '../object.ts';
import { objectGenerator } from '../testing/index.ts';
import { applyPatch } from './apply-patch.ts';
import { compileMessage, DEDUCED, type ApplyType } from './apply-type.ts';
import { parseFieldSet } from './field-set.ts';
import { itemElement } from './list-items.ts';
import { extractApplied } from './testing/extract-applied.ts';
import { updateManagedFields } from './update-managed-fields.ts';

type JsonRecord = Record<string, unknown>;

const NOW = '2026-01-01T00:00:00Z';
const seeds = fc.integer({ min: 0, max: 2 ** 31 });
/** By its place, so that a counterexample prints in a line. */
const resources = fc.nat({ max: schema.resources.length - 1 });
const resourceAt = (index: number): Resource => schema.resources[index]!;

/** What can be applied: no nulls, nothing empty (which says nothing to merge), items with an identity, once each. */
function applicable(type: ApplyType, value: unknown): unknown {
  if (value === null) return undefined;
  if (type.kind === 'scalar') return value;
  if (type.kind === 'atomic') return applicable(type.inner, value);
  if (Array.isArray(value)) {
    if (type.kind !== 'list') return value;
    if (!type.keys) return value.map((item) => applicable(type.item, item) ?? null);
    const seen = new Set<string>();
    const items = value
      .map((item) => applicable(type.item, item))
      .filter((item) => {
        try {
          const element = itemElement(type.keys ?? [], item ?? null);
          if (seen.has(element)) return false;
          seen.add(element);
          return true;
        } catch {
          return false;
        }
      });
    return items.length > 0 ? items : undefined;
  }
  if (!isRecord(value)) return value;
  const kept: JsonRecord = {};
  for (const key of Object.keys(value)) {
    const below = type.kind === 'struct' ? type.byName.get(key)?.type : type.kind === 'map' ? type.value : DEDUCED;
    const member = below && applicable(below, value[key]);
    if (member !== undefined) setOwn(kept, key, member);
  }
  return Object.keys(kept).length > 0 ? kept : undefined;
}

function configuration(resource: Resource, seed: number): JsonRecord {
  const generated = applicable(compileMessage(resource.message), objectGenerator(seed).message(resource.message)) as
    | JsonRecord
    | undefined;
  const { managedFields: _own, ...metadata } = (generated?.['metadata'] ?? {}) as JsonRecord;
  return {
    ...generated,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: { ...metadata, name: 'x' },
  };
}

const apply = (resource: Resource, live: KubeObject | undefined, applied: JsonRecord, manager = 'm') =>
  applyPatch({ live, applied, manager, force: true, kind: resource, schemaMessage: resource.message, now: NOW });

describe('laws', () => {
  it('applying twice is applying once', () => {
    fc.assert(
      fc.property(resources, seeds, seeds, (index, one, two) => {
        const resource = resourceAt(index);
        const applied = configuration(resource, two);
        const first = apply(
          resource,
          apply(resource, undefined, configuration(resource, one), 'other').object,
          applied,
        ).object;
        const second = apply(resource, first, applied);
        expect(second.changed).toBe(false);
        expect(second.object).toEqual(first);
      }),
      { numRuns: 300 },
    );
  });

  it('extracting returns the applied configuration', () => {
    fc.assert(
      fc.property(resources, seeds, seeds, (index, one, two) => {
        const resource = resourceAt(index);
        const applied = configuration(resource, two);
        const { object } = apply(
          resource,
          apply(resource, undefined, configuration(resource, one), 'other').object,
          applied,
        );
        const {
          name: _n,
          namespace: _ns,
          uid: _u,
          creationTimestamp: _c,
          resourceVersion: _rv,
          generation: _g,
          selfLink: _s,
          ...metadata
        } = applied['metadata'] as JsonRecord;
        const expected = { ...applied, metadata };
        const extracted = extractApplied({ object, schemaMessage: resource.message, manager: 'm' });
        expect({ metadata: {}, ...extracted }).toEqual(extracted ? expected : { metadata: {} });
      }),
      { numRuns: 300 },
    );
  });

  it('fields that an applier no longer applies are removed, and only those', () => {
    fc.assert(
      fc.property(resources, seeds, seeds, (index, one, two) => {
        const resource = resourceAt(index);
        const mine = configuration(resource, one);
        const before = apply(resource, undefined, mine, 'other').object;
        const applied = apply(resource, before, configuration(resource, two)).object;
        const nothing = { apiVersion: applied.apiVersion, kind: applied.kind, metadata: { name: 'x' } };
        const after = apply(resource, applied, nothing).object;
        expect(extractApplied({ object: after, schemaMessage: resource.message, manager: 'm' })).toBeUndefined();
        const theirs = { object: applied, schemaMessage: resource.message, manager: 'other' };
        expect(extractApplied({ ...theirs, object: after })).toEqual(extractApplied(theirs));
      }),
      { numRuns: 300 },
    );
  });

  it('written sets are canonical', () => {
    fc.assert(
      fc.property(resources, seeds, (index, seed) => {
        const resource = resourceAt(index);
        const generator = objectGenerator(seed);
        const update = (live: KubeObject | undefined) =>
          updateManagedFields({
            live,
            updated: generator.object(resource.message, resource) as KubeObject,
            manager: 'm',
            apiVersion: apiVersionOf(resource),
            schemaMessage: resource.message,
            now: NOW,
          });
        for (const entry of update(update(undefined)).metadata.managedFields ?? []) {
          expect(JSON.stringify(parseFieldSet(entry.fieldsV1))).toBe(JSON.stringify(entry.fieldsV1));
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('garbage', () => {
  const names = fc.constantFrom(
    'metadata',
    'name',
    'labels',
    'spec',
    'template',
    'containers',
    'data',
    'finalizers',
    'managedFields',
    'annotations',
    '__proto__',
  );
  const values = fc.letrec<{ value: unknown; map: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, 'a', 5, 1.5, true, 10n ** 17n),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('map'),
    ),
    map: fc.dictionary(names, tie('value'), { maxKeys: 4 }),
  })).map as fc.Arbitrary<JsonRecord>;
  const elements = fc.oneof(
    fc.constantFrom('.', 'f:a', 'f:data', 'v:1', 'v:', 'k:{"name":"a"}', 'k:{}', 'k:', 'i:0', 'i:x', 'x', ''),
    fc.string(),
  );
  const fieldSets = fc.letrec<{ set: unknown }>((tie) => ({
    set: fc.oneof(
      { depthSize: 'small' },
      fc.constant({}),
      fc.constant(5),
      fc.dictionary(elements, tie('set'), { maxKeys: 3 }),
    ),
  })).set;
  const resource = schema.resource('', 'v1', 'podtemplates')!;
  const live = apply(resource, undefined, {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { name: 'x', labels: { a: 'b' } },
    template: { spec: { containers: [{ name: 'a' }] } },
  }).object;

  it('is refused with a status, or applied', () => {
    fc.assert(
      fc.property(values, (applied) => {
        try {
          apply(resource, live, { ...applied, apiVersion: 'v1', kind: 'PodTemplate' });
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('in managedFields is accepted or ignored', () => {
    fc.assert(
      fc.property(fieldSets, (fieldsV1) => {
        const entry = { manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 };
        const updated = { ...live, metadata: { ...live.metadata, managedFields: [entry] } };
        const result = updateManagedFields({
          live,
          updated,
          manager: 'm',
          apiVersion: 'v1',
          schemaMessage: resource.message,
          now: NOW,
        });
        for (const { fieldsV1: written } of result.metadata.managedFields ?? []) {
          expect(JSON.stringify(parseFieldSet(written))).toBe(JSON.stringify(written));
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('may nest as deeply as it likes', () => {
    const deep = (levels: number, key: string): JsonRecord => {
      let value: JsonRecord = {};
      for (let i = 0; i < levels; i++) value = { [key]: value };
      return value;
    };
    expect(() => apply(resource, live, { apiVersion: 'v1', kind: 'PodTemplate', ...deep(9_000, 'template') })).toThrow(
      StatusError,
    );
    const entry = {
      manager: 'x',
      operation: 'Update',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: deep(20_000, 'f:a'),
    };
    const updated = { ...live, metadata: { ...live.metadata, managedFields: [entry] } };
    expect(
      updateManagedFields({ live, updated, manager: 'm', apiVersion: 'v1', schemaMessage: resource.message, now: NOW })
        .metadata.managedFields,
    ).toEqual(live.metadata.managedFields);
  });
});
