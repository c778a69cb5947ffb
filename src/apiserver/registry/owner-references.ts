/** The same owner twice counts once; the client is told. */
import type { KubeObject } from '../../machinery/object.ts';
import { deepEqual } from '../../machinery/deep-equal.ts';
import type { Scope } from '../scope.ts';

export function dedupOwnerReferences(scope: Scope, object: KubeObject): void {
  const references = object.metadata.ownerReferences;
  if (!references || references.length < 2) return;
  const duplicated: string[] = [];
  const kept = references.filter((reference, i) => {
    const seen = references.slice(0, i).some((earlier) => deepEqual(earlier, reference));
    if (seen && !duplicated.includes(reference.uid)) duplicated.push(reference.uid);
    return !seen;
  });
  if (duplicated.length === 0) return;
  object.metadata.ownerReferences = kept;
  scope.warnings.push(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicated.join(', ')}`,
  );
}
