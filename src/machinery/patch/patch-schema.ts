/** Patch metadata of a type: the patch strategy and merge key of each field. */
import type { Field, Type } from '../../api/index.ts';
import { quote } from '../../base/index.ts';
import { failure } from '../errors/index.ts';

export interface PatchMeta {
  /** The type of the field, or of its elements if it is a list. */
  readonly type: Type;
  readonly strategy: 'merge' | 'replace' | '';
  readonly retainKeys: boolean;
  readonly mergeKey: string;
}

const known = new WeakMap<Field, PatchMeta>();

/** Throws a StatusError for a field that the type does not have. */
export function patchMetaOf(type: Type, name: string): PatchMeta {
  // All values of a map have one type, and there is no strategy for them.
  if (type.kind === 'map') return { type: elementOf(type.value), strategy: '', retainKeys: false, mergeKey: '' };
  if (type.kind !== 'message') {
    throw failure(
      500,
      '',
      `merging an object in json but data type is not struct, instead is: ${type.kind === 'list' ? 'slice' : type.kind}`,
    );
  }
  const field = type.byName.get(name);
  if (!field)
    throw failure(500, '', `unable to find api field in struct ${type.name} for the json field ${quote(name)}`);
  let meta = known.get(field);
  if (!meta) known.set(field, (meta = metaOfField(field)));
  return meta;
}

function metaOfField(field: Field): PatchMeta {
  return {
    type: elementOf(field.type),
    strategy: field.patchStrategy.find((s) => s !== 'retainKeys') ?? '',
    retainKeys: field.patchStrategy.includes('retainKeys'),
    mergeKey: field.mergeKey ?? '',
  };
}

const elementOf = (type: Type): Type => (type.kind === 'list' ? type.element : type);
