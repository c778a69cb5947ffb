/** The Conflict error of an apply that would change fields of other managers. */
import type { StatusCause } from '../../api/generated/meta-v1.ts';
import { compareText, quote } from '../../base/index.ts';
import { applyConflict, type StatusError } from '../errors/index.ts';
import { eachPath, pathText, type FieldSet } from './field-set.ts';
import { ownerIdentifier, type FieldOwner } from './managed-fields.ts';

export interface Conflict {
  readonly owner: FieldOwner;
  readonly path: readonly string[];
}

export function conflictsOf(owner: FieldOwner, conflicting: FieldSet): Conflict[] {
  const conflicts: Conflict[] = [];
  eachPath(conflicting, (path) => conflicts.push({ owner, path }));
  return conflicts;
}

export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const sorted = [...conflicts].sort((a, b) => compareText(ownerIdentifier(a.owner), ownerIdentifier(b.owner)));
  const causes = sorted.map(({ owner, path }): StatusCause => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${ownerText(owner)}`,
    field: pathText(path),
  }));
  return applyConflict(causes, conflictMessage(sorted));
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first) {
    return `Apply failed with 1 conflict: conflict with ${ownerText(first.owner)}: ${pathText(first.path)}`;
  }
  const lines: string[] = [];
  let owner: FieldOwner | undefined;
  for (const conflict of conflicts) {
    if (conflict.owner !== owner) lines.push(`conflicts with ${ownerText(conflict.owner)}:`);
    owner = conflict.owner;
    lines.push(`- ${pathText(conflict.path)}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function ownerText(owner: FieldOwner): string {
  let text = quote(owner.manager);
  if (owner.subresource !== '') text += ` with subresource ${quote(owner.subresource)}`;
  return owner.operation === 'Update' ? `${text} using ${owner.apiVersion}` : text;
}
