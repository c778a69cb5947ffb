/**
 * Reconciles flow control objects of an earlier start. The spec of mandatory objects is always restored. Others are updated
 * if their annotation says so; without a valid annotation, if their generation shows that no user has changed them.
 */
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/generated/flowcontrol-v1.ts';
import { parseGoBool } from '../../base/index.ts';
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

const isMandatory = ({ metadata }: FlowControlObject): boolean =>
  MANDATORY_FLOW_CONTROL_OBJECTS.includes(metadata.name ?? '');

const followsServer = (existing: FlowControlObject): boolean =>
  annotatedAs(existing) ?? existing.metadata.generation === 1;

const annotatedAs = ({ metadata }: FlowControlObject): boolean | undefined =>
  parseGoBool(metadata.annotations?.[AUTOUPDATE_SPEC_ANNOTATION] ?? '');

/** Administrators may change spec.exempt of the level `exempt`. */
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
