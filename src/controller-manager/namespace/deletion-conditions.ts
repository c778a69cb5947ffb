/** The conditions of a terminating namespace. */
import type { Namespace, NamespaceCondition } from '../../api/generated/core-v1.ts';

/** What the deletion of the namespace's content found. */
export interface DeletionProgress {
  readonly discoveryFailure?: string;
  readonly contentFailures: readonly string[];
  /** Remaining objects, by `plural.group`. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Remaining objects, by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

type Found = Pick<NamespaceCondition, 'type' | 'status' | 'reason' | 'message'>;

/** All five conditions, in upstream's order. */
export function deletionConditions(progress: DeletionProgress): Found[] {
  const { discoveryFailure, contentFailures, remaining, finalizers } = progress;
  return [
    condition('NamespaceDeletionDiscoveryFailure', discoveryFailure, 'DiscoveryFailed', [
      'ResourcesDiscovered',
      'All resources successfully discovered',
    ]),
    condition('NamespaceDeletionGroupVersionParsingFailure', undefined, '', [
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ]),
    condition(
      'NamespaceDeletionContentFailure',
      contentFailures.length === 0
        ? undefined
        : `Failed to delete all resource types, ${contentFailures.length} remaining: ${[...contentFailures].sort().join(', ')}`,
      'ContentDeletionFailed',
      ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    ),
    condition(
      'NamespaceContentRemaining',
      counted('Some resources are remaining: ', remaining, 'has'),
      'SomeResourcesRemain',
      ['ContentRemoved', 'All content successfully removed'],
    ),
    condition(
      'NamespaceFinalizersRemaining',
      counted('Some content in the namespace has finalizers remaining: ', finalizers, 'in'),
      'SomeFinalizersRemain',
      ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    ),
  ];
}

/** The namespace with these conditions; undefined when nothing changes. */
export function withConditions(namespace: Namespace, found: readonly Found[], now: string): Namespace | undefined {
  const old = namespace.status?.conditions ?? [];
  const next = found.map((condition): NamespaceCondition => {
    const before = old.find((c) => c.type === condition.type);
    return { ...condition, lastTransitionTime: before?.status === condition.status ? before.lastTransitionTime : now };
  });
  const same = next.every((c) =>
    old.some((o) => o.type === c.type && o.status === c.status && o.reason === c.reason && o.message === c.message),
  );
  if (same) return undefined;
  const others = old.filter((c) => !next.some((n) => n.type === c.type));
  return { ...namespace, status: { ...namespace.status, conditions: [...others, ...next] } };
}

function condition(
  type: string,
  failure: string | undefined,
  reason: string,
  [okReason, okMessage]: readonly [string, string],
): Found {
  return failure === undefined
    ? { type, status: 'False', reason: okReason, message: okMessage }
    : { type, status: 'True', reason, message: failure };
}

function counted(prefix: string, counts: ReadonlyMap<string, number>, verb: string): string | undefined {
  if (counts.size === 0) return undefined;
  return (
    prefix +
    [...counts]
      .map(([name, count]) => `${name} ${verb} ${count} resource instances`)
      .sort()
      .join(', ')
  );
}
