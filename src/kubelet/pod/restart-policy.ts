/** Restart policies: whether a container that is not running must be started. */
import type { Container, EphemeralContainer, Pod } from '../../api/generated/core-v1.ts';
import type { ObservedContainer } from '../runtime/observe-pod.ts';

/** The first of the container's restartPolicyRules that matches the exit code. */
export function matchingRule({ restartPolicyRules = [] }: Pick<Container, 'restartPolicyRules'>, exitCode: number) {
  return restartPolicyRules.find(({ exitCodes }) => {
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    return exitCodes?.operator === 'In' ? listed : exitCodes?.operator === 'NotIn' ? !listed : false;
  });
}

type RestartableContainer = Pick<Container | EphemeralContainer, 'restartPolicy' | 'restartPolicyRules'>;

export function restartsAfter(container: RestartableContainer, pod: Pod, exitCode: number): boolean {
  if (matchingRule(container, exitCode) !== undefined) return true;
  const policy = container.restartPolicy ?? pod.spec?.restartPolicy ?? 'Always';
  if (policy === 'Never') return false;
  return policy === 'Always' || exitCode !== 0;
}

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
      return restartsAfter(container, pod, observed.exitCode);
  }
}
