import type { Node } from '../../api/generated/core-v1.ts';

export interface NodeChanges {
  readonly added: boolean;
  readonly labels: boolean;
  readonly taints: boolean;
  readonly allocatable: boolean;
  readonly images: boolean;
  readonly annotations: boolean;
  readonly conditions: boolean;
  /** status.declaredFeatures */
  readonly declaredFeatures: boolean;
  readonly other: boolean;
}

/** The changes of a node that matter to scheduling; heartbeats change nothing. */
export function nodeChanges(before: Node | undefined, after: Node): NodeChanges {
  const differs = (part: (node: Node) => unknown): boolean =>
    before === undefined || !sameJson(part(before), part(after));
  const unschedulable = before?.spec?.unschedulable !== after.spec?.unschedulable;
  const declaredFeatures = differs((n) => n.status?.declaredFeatures);
  return {
    added: before === undefined,
    labels: differs((n) => n.metadata.labels),
    taints: differs((n) => n.spec?.taints) || unschedulable,
    allocatable: differs((n) => n.status?.allocatable),
    images: differs((n) => n.status?.images),
    annotations: differs((n) => n.metadata.annotations),
    conditions: differs((n) => n.status?.conditions?.map((c) => [c.type, c.status])),
    declaredFeatures,
    other: unschedulable || declaredFeatures,
  };
}

function sameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
