/** Whether a container that is not running must be started. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { restartsAfter, type RestartableContainer } from '../../component-helpers/index.ts';
import type { ObservedContainer } from '../runtime/observe-pod.ts';

export function shouldStart(
  container: RestartableContainer,
  pod: Pod,
  observed: ObservedContainer | undefined,
): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  if (observed === undefined) return true;
  switch (observed.state) {
    case 'running':
      return false;
    case 'created':
    case 'unknown':
      return true;
    case 'exited':
      return restartsAfter(container, pod.spec, observed.exitCode);
  }
}
