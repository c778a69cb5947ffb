/** Warnings about existing pods that violate a new enforce level of their namespace; equal violations share a line. */
import type { ServedResource } from '../../registry/served-resource.ts';
import { specOf, type PodObject } from '../request-objects.ts';
import { evaluatePod, reasonsText } from './evaluate.ts';
import { policyText, type LevelVersion } from './policy.ts';

const MAX_PODS = 3000;

interface NamespaceCheck {
  readonly namespace: string;
  readonly policy: LevelVersion;
  readonly exemptRuntimeClasses: ReadonlySet<string>;
}

export function warningsOfNamespace(
  pods: ServedResource,
  { namespace, policy, exemptRuntimeClasses }: NamespaceCheck,
): string[] {
  const all = onePerControllerFirst(
    pods.cache
      .list(namespace)
      .map((entry) => entry.object as PodObject)
      .filter((pod) => !exemptRuntimeClasses.has(specOf(pod).runtimeClassName ?? '')),
  );
  const checked = all.slice(0, MAX_PODS);
  const podsByReasons = new Map<string, string[]>();
  for (const pod of checked) {
    const reasons = reasonsText(evaluatePod(policy, specOf(pod), pod.metadata));
    if (reasons !== '') podsByReasons.set(reasons, [...(podsByReasons.get(reasons) ?? []), pod.metadata.name!]);
  }
  const warnings: string[] = [];
  if (checked.length < all.length)
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${checked.length} of ${all.length} existing pods`,
    );
  if (podsByReasons.size > 0)
    warnings.push(
      `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${policyText(policy)}"`,
    );
  return [...warnings, ...[...podsByReasons].map(([reasons, names]) => `${podsText(names)}: ${reasons}`).sort()];
}

function podsText(names: readonly string[]): string {
  const [first] = [...names].sort();
  if (names.length === 1) return first!;
  return names.length === 2 ? `${first} (and 1 other pod)` : `${first} (and ${names.length - 1} other pods)`;
}

/** Replicas of one controller are similar: check one pod of each controller before the rest. */
function onePerControllerFirst(pods: readonly PodObject[]): PodObject[] {
  const seen = new Set<string>();
  const [first, rest]: [PodObject[], PodObject[]] = [[], []];
  for (const pod of pods) {
    const controller = pod.metadata.ownerReferences?.find((owner) => owner.controller)?.uid;
    if (controller !== undefined && seen.has(controller)) rest.push(pod);
    else first.push(pod);
    if (controller !== undefined) seen.add(controller);
  }
  return [...first, ...rest];
}
