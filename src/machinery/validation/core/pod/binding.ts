/**
 * Validation of Bindings. Conflicts with the pod (scheduling gates, another node) are found when the binding is
 * stored.
 */
import type { Binding } from '../../../../api/generated/core-v1.ts';
import { type FieldError, notSupported, path, required } from '../../../errors/index.ts';
import type { KindValidation } from '../../kind-validation.ts';

function target(errors: FieldError[], { target: to }: Binding): void {
  const { kind = '', name } = to ?? {};
  if (kind !== '' && kind !== 'Node') errors.push(notSupported(path('target', 'kind'), kind, ['Node', '<empty>']));
  if (!name) errors.push(required(path('target', 'name')));
}

export const binding: KindValidation<Binding> = { create: [target], update: [], unstored: true };
