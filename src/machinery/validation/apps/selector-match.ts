/** A controller's label selector against the labels of its pod template. */
import type { PodTemplateSpec } from '../../../api/generated/core-v1.ts';
import type { LabelSelector } from '../../../api/generated/meta-v1.ts';
import { ownValue } from '../../../base/index.ts';
import { type FieldError, invalidValue, path, type Path } from '../../errors/index.ts';
import { compareBytes } from '../../names/index.ts';
import { validateLabelSelector } from '../label-selector.ts';

const ANYWHERE = path();

export const isEmptySelector = (selector: LabelSelector | undefined | null): boolean =>
  selector != null && Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions?.length ?? 0) === 0;

/** Whether the selector can be evaluated at all. */
export function isUsableSelector(selector: LabelSelector | undefined | null): boolean {
  const errors: FieldError[] = [];
  validateLabelSelector(errors, selector, ANYWHERE);
  return errors.length === 0;
}

/** An absent selector matches nothing, an empty one everything. */
export function selectorMatches(
  selector: LabelSelector | undefined | null,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (!selector) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {}))
    if (ownValue(labels, key) !== value) return false;
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const value = ownValue(labels, key);
    if (operator === 'In' && (value === undefined || !values?.includes(value))) return false;
    if (operator === 'NotIn' && value !== undefined && values?.includes(value)) return false;
    if (operator === 'Exists' && value === undefined) return false;
    if (operator === 'DoesNotExist' && value !== undefined) return false;
  }
  return true;
}

export function validateTemplateLabels(
  errors: FieldError[],
  selector: LabelSelector | undefined | null,
  template: PodTemplateSpec | undefined,
  at: Path,
): void {
  const labels = template?.metadata?.labels;
  if (selectorMatches(selector, labels ?? {})) return;
  errors.push(
    invalidValue(at.child('metadata', 'labels'), sorted(labels), '`selector` does not match template `labels`'),
  );
}

/** Go writes maps in the order of their keys. */
const sorted = (map: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> | undefined =>
  map && Object.fromEntries(Object.entries(map).sort(([a], [b]) => compareBytes(a, b)));
