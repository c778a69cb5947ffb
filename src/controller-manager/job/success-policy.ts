/** successPolicy of a Job. */
import type { SuccessPolicy } from '../../api/generated/batch-v1.ts';
import { parseIndexes } from './indexes.ts';

/** The message of the first success policy rule that the succeeded indexes fulfil. */
export function matchSuccessPolicy(
  policy: SuccessPolicy | undefined,
  completions: number,
  succeeded: ReadonlySet<number>,
): string | undefined {
  if (succeeded.size === 0) return undefined;
  const rules = policy?.rules ?? [];
  const index = rules.findIndex(({ succeededIndexes, succeededCount }) => {
    const required = succeededIndexes === undefined ? undefined : [...parseIndexes(succeededIndexes, completions)];
    const reached = required === undefined ? succeeded.size : required.filter((wanted) => succeeded.has(wanted)).length;
    if (succeededCount !== undefined) return reached >= succeededCount;
    return required !== undefined && reached === required.length;
  });
  return index < 0 ? undefined : `Matched rules at index ${index}`;
}
