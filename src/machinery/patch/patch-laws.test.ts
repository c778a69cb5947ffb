import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import type { Message, Resource, Type } from '../../api/schema.ts';
import { isRecord } from '../../base/index.ts';
import { setOwn } from '../../base/own-property.ts';
import { canonicalize } from '../decode/index.ts';
import { StatusError } from '../errors/status.ts';
import { objectGenerator } from '../testing/index.ts';
import { applyMergePatch } from './merge-patch.ts';
import { patchObject, type PatchRequest } from './patch-object.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';
import { createMergePatch } from './testing/create-merge-patch.ts';
import { createStrategicMergePatch } from './testing/create-strategic-merge-patch.ts';

type JsonRecord = Record<string, unknown>;

const seeds = fc.integer({ min: 0, max: 2 ** 31 });
/** By its place, so that a counterexample prints in a line. */
const resources = fc.nat({ max: schema.resources.length - 1 });
const resourceAt = (index: number): Resource => schema.resources[index]!;

/** Neither kind of patch can set a null: objects are compared without theirs. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const kept: JsonRecord = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setOwn(kept, key, withoutNulls(value[key]));
  return kept;
}

/** What strategic merge can tell apart: items with their merge key, once each; no free-form JSON. */
function mergeable(type: Type, value: unknown): unknown {
  if (type.kind === 'message' && isRecord(value)) {
    const kept: JsonRecord = {};
    for (const field of type.fields) {
      if (!Object.hasOwn(value, field.name)) continue;
      if (
        field.type.kind === 'union' ||
        (field.type.kind === 'scalar' && ['JSON', 'RawExtension', 'FieldsV1'].includes(field.type.scalar))
      )
        continue;
      let member = mergeable(field.type, value[field.name]);
      if (Array.isArray(member) && field.patchStrategy.includes('merge')) member = distinct(member, field.mergeKey);
      setOwn(kept, field.name, member);
    }
    return kept;
  }
  if (type.kind === 'list' && Array.isArray(value)) return value.map((item) => mergeable(type.element, item));
  return value;
}

function distinct(items: readonly unknown[], mergeKey: string | undefined): unknown[] {
  const seen = new Set<unknown>();
  return items.filter((item) => {
    const identity = mergeKey !== undefined && isRecord(item) ? item[mergeKey] : item;
    if (identity === undefined || seen.has(identity)) return false;
    seen.add(identity);
    return true;
  });
}

function pair(message: Message, seed: number): [JsonRecord, JsonRecord] {
  const generator = objectGenerator(seed);
  return [generator.message(message), generator.message(message)];
}

describe('laws', () => {
  it('the merge patch of the difference produces the target', () => {
    fc.assert(
      fc.property(resources, seeds, (index, seed) => {
        const resource = resourceAt(index);
        const [from, to] = pair(resource.message, seed);
        expect(withoutNulls(applyMergePatch(from, createMergePatch(from, to)))).toEqual(withoutNulls(to));
      }),
      { numRuns: 400 },
    );
  });

  it('the strategic patch of the difference produces the target', () => {
    fc.assert(
      fc.property(resources, seeds, (index, seed) => {
        const { message } = resourceAt(index);
        const [from, to] = pair(message, seed).map(
          (value) => mergeable(message, canonicalize(message, value)) as JsonRecord,
        ) as [JsonRecord, JsonRecord];
        const patch = createStrategicMergePatch(message, from, to);
        expect(withoutNulls(applyStrategicMergePatch(message, from, patch))).toEqual(withoutNulls(to));
      }),
      { numRuns: 400 },
    );
  });
});

describe('garbage', () => {
  const types: PatchRequest['type'][] = [
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/strategic-merge-patch+json',
  ];
  const operations = fc.array(
    fc.record(
      {
        op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'x'),
        path: fc.constantFrom('', '/', '/a', '/spec/0', '/spec/-', '/metadata/labels/x', 'spec', '/spec/-1', '/a~1~0'),
        from: fc.constantFrom('', '/a', '/spec', '/metadata'),
        value: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  );
  const names = fc.constantFrom(
    'metadata',
    'spec',
    'template',
    'containers',
    'name',
    'labels',
    'finalizers',
    '$patch',
    '$retainKeys',
    '$setElementOrder/containers',
    '$setElementOrder',
    '$deleteFromPrimitiveList/finalizers',
    '$deleteFromPrimitiveList',
    '__proto__',
  );
  const patches = fc.letrec<{ value: unknown; map: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, 'delete', 'replace', 'merge', 'a', 5, true),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('map'),
    ),
    map: fc.dictionary(names, tie('value'), { maxKeys: 4 }),
  })).map;

  it('is refused with a status, or applied', () => {
    const live = {
      metadata: { name: 'a', labels: { x: 'y' }, finalizers: ['f'] },
      spec: { template: { spec: { containers: [{ name: 'a' }] } } },
    };
    const message = schema.kind({ group: 'apps', version: 'v1', kind: 'Deployment' })!;
    const bodies = fc.oneof(operations, patches, fc.jsonValue()).map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.oneof(bodies, fc.string()), (type, body) => {
        try {
          patchObject({ type, body, live, message, fieldValidation: 'Warn' });
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it('may nest as deeply as it likes', () => {
    const body = `${'{"spec":'.repeat(9_000)}{}${'}'.repeat(9_000)}`;
    const message = schema.kind({ group: 'apps', version: 'v1', kind: 'Deployment' })!;
    for (const type of types) {
      try {
        patchObject({ type, body, live: { spec: {} }, message, fieldValidation: 'Warn' });
      } catch (error) {
        expect(error).toBeInstanceOf(StatusError);
      }
    }
  });
});
