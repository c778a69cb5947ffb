/** Finds the container that a request is for. */
import type { PodSpec } from '../../api/generated/core-v1.ts';
import { allContainers } from '../../component-helpers/index.ts';
import { badRequest } from '../../machinery/errors/index.ts';

export function containerOf(podName: string, spec: PodSpec, wanted: string): string {
  const names = allContainers(spec).map((container) => container.name);
  if (wanted !== '') {
    if (!names.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${podName}`);
    return wanted;
  }
  if (spec.containers.length === 1) return spec.containers[0]!.name;
  throw badRequest(`a container name must be specified for pod ${podName}, choose one of: [${names.join(' ')}]`);
}
