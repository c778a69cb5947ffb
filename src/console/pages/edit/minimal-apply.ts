/**
 * What an edit sends. A server-side apply of the whole object would make the console a manager of every field, and others would
 * get conflicts for fields that nobody edited here. So only what was changed is applied, with what the console applied before:
 * a field that is left out of an apply is given up. An apply cannot remove fields of other managers, so an edit that removes
 * some is sent as an update.
 */
import type { ApiObject, FieldSet } from '../api/objects.ts';

export const FIELD_MANAGER = 'k8ts-console';

type Json = unknown;
type Fields = Record<string, Json>;

export interface Sent {
  readonly how: 'apply' | 'update';
  readonly object: Json;
}

/** Lists whose items are merged by name; others are sent whole. */
const MERGED_BY_NAME: ReadonlySet<string> = new Set(['containers', 'initContainers', 'ephemeralContainers']);

const isFields = (value: Json): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

const isEqual = (a: Json, b: Json): boolean => {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => isEqual(item, b[at]));
  if (!isFields(a) || !isFields(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
};

/** @param edited the object as the editor has it, without managedFields */
export function sentFor(live: ApiObject, edited: Fields): Sent {
  const before = shown(live) as Fields;
  if (removes(before, edited)) return { how: 'update', object: edited };
  const owned = live.metadata.managedFields?.find(
    ({ manager, operation, subresource }) => manager === FIELD_MANAGER && operation === 'Apply' && !subresource,
  )?.fieldsV1;
  const kept = owned ? ownedPart(edited, owned) : undefined;
  const body = merged(kept, changedPart(before, edited));
  const fields = isFields(body) ? body : {};
  const { name, namespace } = live.metadata;
  const metadata = isFields(fields['metadata']) ? fields['metadata'] : {};
  return {
    how: 'apply',
    object: {
      ...fields,
      apiVersion: edited['apiVersion'],
      kind: edited['kind'],
      metadata: { ...metadata, name, ...(namespace ? { namespace } : {}) },
    },
  };
}

/** The object without what the server keeps for itself and nobody edits. */
export function shown(object: ApiObject): Json {
  const { managedFields: _, ...metadata } = object.metadata;
  // Lists, watches and histories have them in different places; people look for them first.
  const { apiVersion, kind, metadata: __, spec, status, ...rest } = object as ApiObject & Fields;
  const { name, namespace, ...others } = metadata;
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...others },
    ...(spec === undefined ? {} : { spec }),
    ...rest,
    ...(status === undefined ? {} : { status }),
  };
}

function removes(before: Json, after: Json): boolean {
  if (isFields(before))
    return (
      !isFields(after) ||
      Object.keys(before).some((key) => !Object.hasOwn(after, key) || removes(before[key], after[key]))
    );
  return (
    Array.isArray(before) &&
    (!Array.isArray(after) || after.length < before.length || (before.length > 0 && itemsRemoved(before, after)))
  );
}

/** An item may have changed in its place; one whose name is gone was removed. */
function itemsRemoved(before: readonly Json[], after: readonly Json[]): boolean {
  const named = (list: readonly Json[]) => list.every((item) => isFields(item) && typeof item['name'] === 'string');
  if (named(before) && named(after)) {
    const byName = new Map(after.map((item) => [(item as Fields)['name'], item]));
    return before.some((item) => {
      const next = byName.get((item as Fields)['name']);
      return next === undefined || removes(item, next);
    });
  }
  return !before.every((item, at) => isEqual(item, after[at]));
}

/** What `after` has and `before` has not; undefined when nothing. */
function changedPart(before: Json, after: Json, key = ''): Json {
  if (isEqual(before, after)) return undefined;
  if (isFields(before) && isFields(after)) {
    const changed = Object.entries(after).flatMap(([name, value]) => {
      const part = changedPart(Object.hasOwn(before, name) ? before[name] : undefined, value, name);
      return part === undefined ? [] : [[name, part] as const];
    });
    return Object.fromEntries(changed);
  }
  if (MERGED_BY_NAME.has(key) && Array.isArray(before) && Array.isArray(after)) {
    const old = new Map(before.filter(isFields).map((item) => [item['name'], item]));
    return after.filter(isFields).flatMap((item) => {
      const part = changedPart(old.get(item['name']), item);
      return part === undefined ? [] : [isFields(part) ? { ...part, name: item['name'] } : part];
    });
  }
  return after;
}

/** The fields of a value that are in a set of managedFields. */
function ownedPart(value: Json, set: FieldSet): Json {
  const keys = Object.keys(set).filter((key) => key !== '.');
  if (keys.length === 0) return value;
  if (isFields(value)) {
    const parts = keys.flatMap((key) => {
      const name = key.slice(2);
      return key.startsWith('f:') && Object.hasOwn(value, name)
        ? [[name, ownedPart(value[name], set[key]!)] as const]
        : [];
    });
    return Object.fromEntries(parts);
  }
  if (!Array.isArray(value)) return value;
  return keys.flatMap((key) => {
    if (key.startsWith('v:')) return value.filter((item) => JSON.stringify(item) === key.slice(2));
    if (!key.startsWith('k:')) return [];
    const wanted = JSON.parse(key.slice(2)) as Fields;
    const item = value.find(
      (candidate) => isFields(candidate) && Object.entries(wanted).every(([name, of]) => isEqual(candidate[name], of)),
    );
    return item === undefined ? [] : [{ ...(ownedPart(item, set[key]!) as Fields), ...wanted }];
  });
}

function merged(a: Json, b: Json, key = ''): Json {
  if (a === undefined || b === undefined) return b ?? a;
  if (isFields(a) && isFields(b)) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)]);
    return Object.fromEntries([...names].map((name) => [name, merged(a[name], b[name], name)]));
  }
  if (MERGED_BY_NAME.has(key) && Array.isArray(a) && Array.isArray(b)) {
    const byName = new Map(a.filter(isFields).map((item) => [item['name'], item as Json]));
    for (const item of b.filter(isFields)) byName.set(item['name'], merged(byName.get(item['name']), item));
    return [...byName.values()];
  }
  return b;
}
