import { ownValue } from '../base/index.ts'; /** Whether something carries all labels of a CRI filter, which knows equality only. */
export function matchesLabels(
  labels: Readonly<Record<string, string>> | undefined,
  selector: Readonly<Record<string, string>> | undefined,
): boolean {
  return Object.entries(selector ?? {}).every(([key, value]) => ownValue(labels, key) === value);
}
