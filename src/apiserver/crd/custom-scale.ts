/** Reads and writes the scale subresource of custom resources. */
import type { CustomResourceSubresourceScale } from '../../api/generated/apiextensions-v1.ts';
import { internalError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { setAt, stepsOf, valueAt } from '../custom-kind/scale-paths.ts';

interface CustomScale {
  readonly replicas: number;
  readonly statusReplicas: number;
  readonly selector: string;
}

/** Throws if the object has no value at specReplicasPath: then it has no Scale. */
export function requireReplicas(object: KubeObject, { specReplicasPath }: CustomResourceSubresourceScale): void {
  if (valueAt(object, stepsOf(specReplicasPath ?? '')).value === undefined)
    throw internalError(`the spec replicas field "${specReplicasPath}" does not exist`);
}

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
