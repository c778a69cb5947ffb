/** Objects of v1beta1 are validated in the form of v1, as upstream does: errors name the fields of v1. */
import { devicesToV1 } from '../../devices-v1beta1.ts';
import type { KindValidation } from '../kind-validation.ts';

export function inFormOfV1<T extends object>(validation: KindValidation<T>): KindValidation<T> {
  const { create, update, status } = validation;
  const updates = (checks: KindValidation<T>['update']): KindValidation<T>['update'] =>
    checks.map(
      (check) =>
        (errors, object, old, context): void =>
          check(errors, devicesToV1(object), devicesToV1(old), context),
    );
  return {
    ...validation,
    create: create.map(
      (check) =>
        (errors, object, context): void =>
          check(errors, devicesToV1(object), context),
    ),
    update: updates(update),
    ...(status ? { status: updates(status) } : {}),
  };
}
