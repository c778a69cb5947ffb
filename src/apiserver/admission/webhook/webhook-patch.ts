/** Applies the JSON patch of a webhook, with upstream's error for the operation that fails. */
import { checkNesting } from '../../../machinery/decode/index.ts';
import { failure, isStatusError } from '../../../machinery/errors/index.ts';
import { applyJsonPatch } from '../../../machinery/patch/index.ts';
import { patchProblem } from './patch-problem.ts';

export function applyWebhookPatch(object: unknown, operations: readonly Record<string, unknown>[]): unknown {
  const patched = operations.reduce<unknown>((document, operation) => {
    try {
      return applyJsonPatch(document, [operation]);
    } catch (error) {
      if (!isStatusError(error)) throw error;
      throw failure(422, 'Invalid', patchProblem(document, operation));
    }
  }, object);
  checkNesting(patched);
  return patched;
}
