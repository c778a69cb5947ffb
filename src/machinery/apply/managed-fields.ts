/** managedFields: decodes and encodes the ownership of fields in `metadata.managedFields`. */
import type { ManagedFieldsEntry } from '../../api/generated/meta-v1.ts';
import { compareText, jsonText, quote, type Steps } from '../../base/index.ts';
import { parseFieldSet, union, type FieldSet } from './field-set.ts';
import { fieldSetText, fieldSetTextSteps } from './interned-field-sets.ts';

/** One entry of managedFields: a field manager and the fields that it owns. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

type Identity = Pick<FieldOwner, 'manager' | 'operation' | 'apiVersion' | 'subresource'>;

/** An applier keeps its identity across API versions. */
export const isSameOwner = (a: Identity, b: Identity): boolean =>
  a.manager === b.manager &&
  a.operation === b.operation &&
  a.subresource === b.subresource &&
  (a.operation === 'Apply' || a.apiVersion === b.apiVersion);

/** The identity as text, the last criterion when owners are sorted. */
export function ownerIdentifier(owner: Identity): string {
  const parts: string[] = [];
  if (owner.manager !== '') parts.push(`"manager":${jsonText(owner.manager)}`);
  parts.push(`"operation":"${owner.operation}"`);
  if (owner.operation === 'Update') parts.push(`"apiVersion":${jsonText(owner.apiVersion)}`);
  if (owner.subresource !== '') parts.push(`"subresource":${jsonText(owner.subresource)}`);
  return `{${parts.join(',')}}`;
}

/**
 * Decodes entries strictly; throws an Error. The field sets of `stored` entries are canonical already and not parsed.
 */
export function decodeManagedFields(entries: readonly ManagedFieldsEntry[], from: 'stored' | 'client'): FieldOwner[] {
  const owners: FieldOwner[] = [];
  entries.forEach((entry, index) => {
    const { operation, apiVersion } = entry;
    if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
    if (!apiVersion) throw new Error('apiVersion must not be empty');
    if (!entry.fieldsType) throw new Error(`missing fieldsType in managed fields entry ${index}`);
    if (entry.fieldsType !== 'FieldsV1') {
      throw new Error(`invalid fieldsType ${quote(entry.fieldsType)} in managed fields entry ${index}`);
    }
    const fields = from === 'stored' ? (entry.fieldsV1 as FieldSet | undefined) : parseClientFields(entry);
    if (!fields) return;
    const owner: FieldOwner = {
      manager: entry.manager ?? '',
      operation,
      apiVersion,
      subresource: entry.subresource ?? '',
      time: entry.time ?? undefined,
      fields,
    };
    if (from === 'client') {
      const repeated = owners.findIndex((other) => isSameOwner(other, owner));
      if (repeated >= 0) owners.splice(repeated, 1);
    }
    owners.push(owner);
  });
  return owners;
}

function parseClientFields(entry: ManagedFieldsEntry): FieldSet | undefined {
  try {
    return parseFieldSet(entry.fieldsV1);
  } catch (error) {
    throw new Error(`error decoding versioned set from ${entry.manager ?? ''}: error decoding set: ${String(error)}`);
  }
}

export function encodeManagedFields(owners: readonly FieldOwner[]): ManagedFieldsEntry[] | undefined {
  if (owners.length === 0) return undefined;
  const sorted = owners.length === 1 ? owners : [...owners].sort(compareOwners);
  return sorted.map((owner) => {
    const entry: ManagedFieldsEntry = {
      manager: owner.manager,
      operation: owner.operation,
      apiVersion: owner.apiVersion,
    };
    if (owner.time !== undefined) entry.time = owner.time;
    entry.fieldsType = 'FieldsV1';
    entry.fieldsV1 = owner.fields;
    if (owner.subresource !== '') entry.subresource = owner.subresource;
    return entry;
  });
}

/** The entries of a new object: its creator owns all of `fields`. */
export const managedFieldsOfCreator = ({
  manager,
  apiVersion,
  time,
  fields,
}: Pick<FieldOwner, 'manager' | 'apiVersion' | 'time' | 'fields'>): ManagedFieldsEntry[] =>
  encodeManagedFields([
    { manager: manager === '' ? 'unknown' : manager, operation: 'Update', apiVersion, subresource: '', time, fields },
  ])!;

/** The entries as JSON: the same as JSON.stringify, with cached texts of field sets. */
export function managedFieldsText(entries: readonly ManagedFieldsEntry[]): string {
  let text = '';
  for (const entry of entries) text += `${text === '' ? '' : ','}{${membersText(entry, fieldSetText)}}`;
  return `[${text}]`;
}

/** The same in steps, for large field sets. */
export function* managedFieldsSteps(entries: readonly ManagedFieldsEntry[]): Steps<string> {
  const texts: string[] = [];
  for (const entry of entries) {
    const fields = entry.fieldsV1 ? yield* fieldSetTextSteps(entry.fieldsV1 as FieldSet) : '';
    texts.push(`{${membersText(entry, () => fields)}}`);
    yield;
  }
  return `[${texts.join(',')}]`;
}

function membersText(entry: ManagedFieldsEntry, fieldsText: (set: FieldSet) => string): string {
  let text = '';
  for (const name in entry) {
    const value = entry[name as keyof ManagedFieldsEntry];
    if (value === undefined) continue;
    const comma = text === '' ? '' : ',';
    text += `${comma}"${name}":${name === 'fieldsV1' && value !== null ? fieldsText(value as FieldSet) : JSON.stringify(value)}`;
  }
  return text;
}

/** By operation, time (an owner without a time comes first), manager, version, subresource. */
function compareOwners(a: FieldOwner, b: FieldOwner): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? '', b.time ?? '') ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

const MAX_UPDATE_OWNERS = 10;
const COLLECTIVE_MANAGER = 'ancient-changes';

/** Limits the number of `Update` entries: the oldest of each version are merged into one. */
export function capUpdateOwners(owners: readonly FieldOwner[]): readonly FieldOwner[] {
  const updaters = owners.filter((owner) => owner.operation === 'Update');
  let surplus = updaters.length - MAX_UPDATE_OWNERS;
  if (surplus <= 0) return owners;
  const identifiers = new Map(updaters.map((owner) => [owner, ownerIdentifier(owner)]));
  updaters.sort(
    (a, b) => compareText(a.time ?? '', b.time ?? '') || compareText(identifiers.get(a)!, identifiers.get(b)!),
  );
  const remaining = new Set(owners);
  const collectives = new Map<string, FieldOwner[]>();
  const oldestByVersion = new Map<string, FieldOwner>();
  for (const owner of updaters) {
    if (surplus <= 0) break;
    const oldest = oldestByVersion.get(owner.apiVersion);
    if (!oldest) {
      oldestByVersion.set(owner.apiVersion, owner);
      continue;
    }
    const identity = {
      manager: COLLECTIVE_MANAGER,
      operation: 'Update',
      apiVersion: owner.apiVersion,
      subresource: '',
    } as const;
    let known = collectives.get(owner.apiVersion);
    if (!known) collectives.set(owner.apiVersion, (known = owners.filter((other) => isSameOwner(other, identity))));
    const collective = known.find((other) => remaining.has(other));
    if (collective === owner) continue;
    const target = collective ?? oldest;
    remaining.delete(target);
    remaining.delete(owner);
    const joined: FieldOwner = {
      ...identity,
      time: owner.time,
      fields: union(target.fields, owner.fields) ?? target.fields,
    };
    remaining.add(joined);
    collectives.set(owner.apiVersion, [...known.filter((other) => remaining.has(other)), joined]);
    surplus--;
  }
  return [...remaining];
}
