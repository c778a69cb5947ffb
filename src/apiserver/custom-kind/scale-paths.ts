/** The JSON paths of the scale subresource: reads, writes and validates the fields that they name. */
import type { CustomResourceSubresourceScale } from '../../api/generated/apiextensions-v1.ts';
import { isRecord, plainText } from '../../base/index.ts';
import { FieldError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';

const MAX_INT32 = 2 ** 31 - 1;

export const stepsOf = (jsonPath: string): string[] => jsonPath.replace(/^\./, '').split('.');

/** The value at a path, or upstream's error if a parent is not an object. */
export function valueAt(object: unknown, steps: readonly string[]): { value?: unknown; problem?: string } {
  let at: unknown = object;
  for (const [i, step] of steps.entries()) {
    if (!isRecord(at))
      return {
        problem: `.${steps.join('.')} accessor error: ${show(at)} is of the type ${goType(at)}, expected map[string]interface{}`,
      };
    if (!Object.hasOwn(at, step)) return {};
    at = at[step];
    if (at === null && i < steps.length - 1) return {};
  }
  return { value: at };
}

export function setAt(object: Record<string, unknown>, steps: readonly string[], value: unknown): void {
  let at = object;
  for (const step of steps.slice(0, -1)) {
    const next = at[step];
    at = isRecord(next) ? next : ((at[step] = {}) as Record<string, unknown>);
  }
  at[steps.at(-1)!] = value;
}

const goType = (value: unknown): string =>
  Array.isArray(value)
    ? '[]interface {}'
    : typeof value === 'string'
      ? 'string'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value === 'number'
          ? Number.isInteger(value)
            ? 'int64'
            : 'float64'
          : typeof value === 'object' && value
            ? 'map[string]interface {}'
            : '<nil>';
const show = (value: unknown): string =>
  value === null ? '<nil>' : typeof value === 'object' ? plainText(value) : String(value);

export function validateScaleSpec(
  errors: FieldError[],
  object: KubeObject,
  scale: CustomResourceSubresourceScale | undefined,
): void {
  if (scale) validateReplicas(errors, object, scale.specReplicasPath ?? '');
}

export function validateScaleStatus(
  errors: FieldError[],
  object: KubeObject,
  scale: CustomResourceSubresourceScale | undefined,
): void {
  if (!scale) return;
  validateReplicas(errors, object, scale.statusReplicasPath ?? '');
  if (!scale.labelSelectorPath) return;
  const { value, problem } = valueAt(object, stepsOf(scale.labelSelectorPath));
  if (problem !== undefined) errors.push(invalid(scale.labelSelectorPath, '', problem));
  else if (value !== undefined && typeof value !== 'string')
    errors.push(invalid(scale.labelSelectorPath, '', mismatch(scale.labelSelectorPath, value, 'string')));
}

function validateReplicas(errors: FieldError[], object: KubeObject, jsonPath: string): void {
  const { value, problem } = valueAt(object, stepsOf(jsonPath));
  if (problem !== undefined) errors.push(invalid(jsonPath, 0, problem));
  else if (value === undefined) return;
  else if (typeof value !== 'number' || !Number.isInteger(value))
    errors.push(invalid(jsonPath, 0, mismatch(jsonPath, value, 'int64')));
  else if (value < 0) errors.push(invalid(jsonPath, value, 'should be a non-negative integer'));
  else if (value > MAX_INT32) errors.push(invalid(jsonPath, value, `should be less than or equal to ${MAX_INT32}`));
}

const mismatch = (jsonPath: string, value: unknown, wanted: string): string =>
  `.${stepsOf(jsonPath).join('.')} accessor error: ${show(value)} is of the type ${goType(value)}, expected ${wanted}`;

const invalid = (field: string, value: unknown, detail: string): FieldError =>
  new FieldError('FieldValueInvalid', field, value, detail);
