/** Replica counts where a definition says that they are. */
import type { CustomResourceSubresourceScale } from '../../api/generated/apiextensions-v1.ts';
import { internalError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { setAt, stepsOf, valueAt } from './scale-paths.ts';

export interface CustomScale {
  readonly replicas: number;
  readonly statusReplicas: number;
  readonly selector: string;
}

/** There is no Scale to read while the object does not say how many replicas it wants. */
export function requireReplicas(object: KubeObject, { specReplicasPath }: CustomResourceSubresourceScale): void {
  if (valueAt(object, stepsOf(specReplicasPath ?? '')).value === undefined)
    throw internalError(`the spec replicas field "${specReplicasPath}" does not exist`);
}

/** What a Scale shows of the object. */
export function readCustomScale(object: KubeObject, scale: CustomResourceSubresourceScale): CustomScale {
  const numberAt = (path: string): number | undefined => {
    const { value } = valueAt(object, stepsOf(path));
    return typeof value === 'number' ? value : undefined;
  };
  const replicas = numberAt(scale.specReplicasPath ?? '') ?? 0;
  const selector = scale.labelSelectorPath ? valueAt(object, stepsOf(scale.labelSelectorPath)).value : undefined;
  return {
    replicas,
    statusReplicas: numberAt(scale.statusReplicasPath ?? '') ?? 0,
    selector: typeof selector === 'string' ? selector : '',
  };
}

export function writeCustomReplicas(object: KubeObject, scale: CustomResourceSubresourceScale, replicas: number): void {
  setAt(object, stepsOf(scale.specReplicasPath ?? ''), replicas);
}

export const replicasSteps = (scale: CustomResourceSubresourceScale): string[] => stepsOf(scale.specReplicasPath ?? '');
