/** podFailurePolicy of a Job. */
import type { PodFailurePolicy, PodFailurePolicyRule } from '../../api/generated/batch-v1.ts';
import type { ContainerStatus, Pod } from '../../api/generated/core-v1.ts';

interface PolicyMatch {
  readonly action: string;
  /** The message of the Job's condition. */
  readonly message: string;
}

/** The first rule that a failed pod matches. */
export function matchPodFailurePolicy(policy: PodFailurePolicy | undefined, pod: Pod): PolicyMatch | undefined {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const what = ruleMatch(rule, pod);
    if (what !== undefined)
      return { action: rule.action, message: `${what} matching ${rule.action} rule at index ${index}` };
  }
  return undefined;
}

function ruleMatch({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const { namespace, name } = pod.metadata;
  if (onExitCodes) {
    const { containerName, operator, values } = onExitCodes;
    const matches = ({ name: container, state }: ContainerStatus): boolean => {
      const exitCode = state?.terminated?.exitCode;
      if (exitCode === undefined || exitCode === 0 || (containerName !== undefined && container !== containerName))
        return false;
      return values.includes(exitCode) === (operator === 'In');
    };
    const found = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])].find(
      matches,
    );
    return (
      found &&
      `Container ${found.name} for pod ${namespace}/${name} failed with exit code ${found.state?.terminated?.exitCode}`
    );
  }
  const condition = pod.status?.conditions?.find((c) =>
    onPodConditions?.some((pattern) => pattern.type === c.type && (pattern.status ?? 'True') === c.status),
  );
  return condition && `Pod ${namespace}/${name} has condition ${condition.type}`;
}
