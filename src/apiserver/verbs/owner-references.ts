/** The same owner twice counts once; the client is told. */
import type { OwnerReference } from '../../api/generated/meta-v1.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Scope } from './scope.ts';

/** The same for references that are equal. */
const keyOf = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string =>
  JSON.stringify([apiVersion, kind, name, uid, controller ?? null, blockOwnerDeletion ?? null]);

export function dedupOwnerReferences(scope: Scope, object: KubeObject): void {
  const references = object.metadata.ownerReferences;
  if (!references || references.length < 2) return;
  const duplicated = new Set<string>();
  const seen = new Set<string>();
  const kept = references.filter((reference) => {
    const key = keyOf(reference);
    if (!seen.has(key)) return seen.add(key);
    duplicated.add(reference.uid);
    return false;
  });
  if (duplicated.size === 0) return;
  object.metadata.ownerReferences = kept;
  scope.warnings.push(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...duplicated].join(', ')}`,
  );
}
