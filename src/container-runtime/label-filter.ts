import { ownValue } from '../base/index.ts';

/** Whether labels match the label selector of a CRI filter, which has equality only. */
export function matchesLabels(
  labels: Readonly<Record<string, string>> | undefined,
  selector: Readonly<Record<string, string>> | undefined,
): boolean {
  return Object.entries(selector ?? {}).every(([key, value]) => ownValue(labels, key) === value);
}
