/** Validates CrossVersionObjectReferences. */
import type { CrossVersionObjectReference } from '../../../api/generated/autoscaling-v2.ts';
import { type FieldError, invalidValue, type Path, required } from '../../errors/index.ts';
import { pathSegmentName } from '../../names/index.ts';

interface ReferenceAllowances {
  /** Accept an apiVersion without a group for kinds outside of the core group. */
  readonly emptyGroup: boolean;
  readonly invalidApiVersion: boolean;
}

export function validateObjectReference(
  errors: FieldError[],
  reference: CrossVersionObjectReference | undefined,
  at: Path,
  allowances: ReferenceAllowances,
): void {
  for (const name of ['kind', 'name'] as const) {
    const value = reference?.[name] ?? '';
    if (value === '') errors.push(required(at.child(name)));
    else for (const message of pathSegmentName(value)) errors.push(invalidValue(at.child(name), value, message));
  }
  const problem = apiVersionProblem(reference, allowances);
  if (problem !== undefined) errors.push(invalidValue(at.child('apiVersion'), reference?.apiVersion ?? '', problem));
}

export function apiVersionProblem(
  reference: CrossVersionObjectReference | undefined,
  { emptyGroup, invalidApiVersion }: ReferenceAllowances,
): string | undefined {
  const apiVersion = reference?.apiVersion ?? '';
  if (apiVersion.split('/').length > 2)
    return invalidApiVersion ? undefined : `unexpected GroupVersion string: ${apiVersion}`;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const core = apiVersion === 'v1' && reference?.kind === 'ReplicationController';
  return group === '' && !core && !emptyGroup ? 'apiVersion must specify API group' : undefined;
}
