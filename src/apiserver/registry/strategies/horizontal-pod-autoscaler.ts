/**
 * autoscaling/v1 autoscalers carry parts of their spec and of their status in annotations: only writes to that part may
 * change them.
 */
import { ownValue } from '../../../base/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import { SPEC_ANNOTATIONS, STATUS_ANNOTATIONS } from '../../storage/versions/convert-autoscaler.ts';
import type { Strategy } from '../strategy.ts';

export const horizontalPodAutoscalers: Strategy = {
  prepareForCreate: (object) => keepAnnotations(object, undefined, STATUS_ANNOTATIONS),
  prepareForUpdate: (object, old) => keepAnnotations(object, old, STATUS_ANNOTATIONS),
  prepareForStatusUpdate: (object, old) => keepAnnotations(object, old, SPEC_ANNOTATIONS),
};

/** In autoscaling/v2 they are ordinary annotations. */
function keepAnnotations(
  { apiVersion, metadata }: KubeObject,
  old: KubeObject | undefined,
  names: readonly string[],
): void {
  if (apiVersion !== 'autoscaling/v1') return;
  const annotations = { ...metadata.annotations };
  for (const name of names) {
    const before = ownValue(old?.metadata.annotations, name);
    if (before === undefined) delete annotations[name];
    else annotations[name] = before;
  }
  if (Object.keys(annotations).length > 0) metadata.annotations = annotations;
  else delete metadata.annotations;
}
