/** Visits all containers of a pod spec. */
import type { Container, EphemeralContainer, PodSpec } from '../../../../api/generated/core-v1.ts';
import type { Path } from '../../../errors/index.ts';

export type AnyContainer = Container | EphemeralContainer;

/** Calls back with each container and a function that gives its path below the spec's. Init containers come first. */
export function eachContainer(
  spec: PodSpec,
  visit: (container: AnyContainer, where: (spec: Path) => Path) => void,
): void {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    const containers: readonly AnyContainer[] = spec[list] ?? [];
    for (let i = 0; i < containers.length; i++) visit(containers[i]!, (at) => at.child(list).index(i));
  }
}
