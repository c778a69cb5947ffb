/**
 * How the server brings flow control objects of an earlier start up to date. The mandatory ones always get their spec
 * back. The others follow their annotation, or, without a legible one, are updated while nobody has changed them.
 */
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/generated/flowcontrol-v1.ts';
import { semanticEqual } from '../../machinery/validation/index.ts';
import { AUTOUPDATE_SPEC_ANNOTATION, MANDATORY_FLOW_CONTROL_OBJECTS } from './flow-control.ts';
import type { Reconciliation } from './reconcile-rbac.ts';

type FlowControlObject = FlowSchema | PriorityLevelConfiguration;

export function reconcileFlowControl<T extends FlowControlObject>(
  existing: T | undefined,
  desired: T,
): Reconciliation<T> {
  if (!existing) return { action: 'create', object: desired };
  const automatic = isMandatory(desired) || followsServer(existing);
  const annotated = annotatedAs(existing) === automatic;
  const specIsCurrent = !automatic || sameSpec(existing, desired);
  if (annotated && specIsCurrent) return { action: 'none' };
  const object: T = { ...existing };
  if (!annotated) {
    const annotations = { ...existing.metadata.annotations, [AUTOUPDATE_SPEC_ANNOTATION]: String(automatic) };
    object.metadata = { ...existing.metadata, annotations };
  }
  if (!specIsCurrent) object.spec = desired.spec;
  return { action: 'update', object };
}

/** Objects of earlier versions that the server made, still keeps up to date, and no longer wants. */
export function obsoleteFlowControlNames(
  existing: readonly FlowControlObject[],
  desired: readonly FlowControlObject[],
): string[] {
  const wanted = new Set(desired.map(({ metadata }) => metadata.name));
  return existing
    .filter((object) => !wanted.has(object.metadata.name) && annotatedAs(object) === true)
    .map(({ metadata }) => metadata.name ?? '');
}

const isMandatory = ({ metadata }: FlowControlObject): boolean =>
  MANDATORY_FLOW_CONTROL_OBJECTS.includes(metadata.name ?? '');

const followsServer = (existing: FlowControlObject): boolean =>
  annotatedAs(existing) ?? existing.metadata.generation === 1;

function annotatedAs({ metadata }: FlowControlObject): boolean | undefined {
  const value = metadata.annotations?.[AUTOUPDATE_SPEC_ANNOTATION] ?? '';
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value)) return true;
  return ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value) ? false : undefined;
}

/** How much of its concurrency the exempt level lends is the administrator's to choose. */
function sameSpec(existing: FlowControlObject, desired: FlowControlObject): boolean {
  const wanted = desired.spec;
  if (
    wanted &&
    'exempt' in wanted &&
    existing.spec &&
    'exempt' in existing.spec &&
    desired.metadata.name === 'exempt'
  ) {
    return semanticEqual(existing.spec, { ...wanted, exempt: existing.spec.exempt });
  }
  return semanticEqual(existing.spec, wanted);
}
