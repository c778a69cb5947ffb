/** Adapts field sets that were written with an older schema: a value that has become atomic is owned as a whole. */
import type { Message } from '../../api/index.ts';
import { compileMessage, DEDUCED, type ApplyType } from './apply-type.ts';
import { hasChildren, LEAF, SELF, type FieldSet, type FieldSetBuilder } from './field-set.ts';
import type { FieldOwner } from './managed-fields.ts';

/** The owners with field sets for the current schema. Only schemas of custom resources change. */
export function reconcileOwners(
  owners: readonly FieldOwner[],
  message: Message,
  apiVersion: string,
): readonly FieldOwner[] {
  if (message.fullName !== '') return owners;
  const type = compileMessage(message);
  return owners.map((owner) => {
    const fields = owner.apiVersion === apiVersion ? reconcileWithSchema(type, owner.fields) : owner.fields;
    return fields === owner.fields ? owner : { ...owner, fields };
  });
}

/** Returns the set itself if it fits the type. */
function reconcileWithSchema(type: ApplyType, set: FieldSet): FieldSet {
  if (!hasChildren(set)) return set;
  if (type.kind === 'atomic') return LEAF;
  if (type.kind === 'scalar' || type.kind === 'deduced') return set;
  let reconciled: FieldSetBuilder | undefined;
  for (const element in set) {
    if (element === SELF) continue;
    const below = typeBelow(type, element);
    const fitting = below ? reconcileWithSchema(below, set[element]!) : set[element]!;
    if (fitting === set[element]) continue;
    reconciled ??= { ...set };
    reconciled[element] = fitting;
  }
  return reconciled ?? set;
}

function typeBelow(type: ApplyType, element: string): ApplyType | undefined {
  switch (type.kind) {
    case 'struct':
      return type.byName.get(element.slice(2))?.type;
    case 'map':
      return type.value;
    case 'list':
      return type.item;
    default:
      return DEDUCED;
  }
}
