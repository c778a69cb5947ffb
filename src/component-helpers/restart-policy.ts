/** Restart policies and rules: whether a container is restarted after it has ended. */
import type { Container, EphemeralContainer, PodSpec } from '../api/generated/core-v1.ts';

/** The first of the container's restartPolicyRules that matches the exit code. */
export function matchingRestartRule(
  { restartPolicyRules = [] }: Pick<Container, 'restartPolicyRules'>,
  exitCode: number,
) {
  return restartPolicyRules.find(({ exitCodes }) => {
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    return exitCodes?.operator === 'In' ? listed : exitCodes?.operator === 'NotIn' ? !listed : false;
  });
}

export type RestartableContainer = Pick<Container | EphemeralContainer, 'restartPolicy' | 'restartPolicyRules'>;

export function restartsAfter(
  container: RestartableContainer,
  spec: Pick<PodSpec, 'restartPolicy'> | undefined,
  exitCode: number,
): boolean {
  if (matchingRestartRule(container, exitCode) !== undefined) return true;
  const policy = container.restartPolicy ?? spec?.restartPolicy ?? 'Always';
  if (policy === 'Never') return false;
  return policy === 'Always' || exitCode !== 0;
}

/** Whether the end of some container may restart all of them. */
export function mayRestartAllContainers({ initContainers, containers }: Partial<PodSpec>): boolean {
  return [...(initContainers ?? []), ...(containers ?? [])].some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
  );
}
