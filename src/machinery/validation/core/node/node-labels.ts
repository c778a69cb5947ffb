/** Warnings about deprecated node labels. */
import type { NodeSelectorTerm } from '../../../../api/generated/core-v1.ts';
import type { Path } from '../../../errors/index.ts';
import { labelValue } from '../../../names/index.ts';

const DEPRECATED: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
    'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
    'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
  }),
);

/** The message about a deprecated label key. */
export const deprecatedNodeLabel = (key: string): string | undefined =>
  DEPRECATED.has(key) ? DEPRECATED.get(key) : undefined;

/** Invalid label values in preferences are not errors, only warnings. */
export function nodeSelectorTermWarnings(
  warnings: string[],
  term: NodeSelectorTerm,
  at: Path,
  { checkValues }: { checkValues: boolean },
): void {
  for (const [i, { key = '', values }] of (term.matchExpressions ?? []).entries()) {
    const here = at.child('matchExpressions').index(i);
    const message = deprecatedNodeLabel(key);
    if (message) warnings.push(`${here.child('key')}: ${key} is ${message}`);
    if (!checkValues) continue;
    for (const [j, value] of (values ?? []).entries()) {
      for (const problem of labelValue(value))
        warnings.push(`${here.child('values').index(j)}: ${value} is invalid, ${problem}`);
    }
  }
}
