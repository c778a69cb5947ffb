/** Applies the JSON patch of a webhook, with upstream's error for the operation that fails. */
import { quote } from '../../../base/index.ts';
import { checkNesting } from '../../../machinery/decode/index.ts';
import { failure, isStatusError } from '../../../machinery/errors/index.ts';
import { applyJsonPatch } from '../../../machinery/patch/index.ts';

export function applyWebhookPatch(object: unknown, operations: readonly Record<string, unknown>[]): unknown {
  const patched = operations.reduce<unknown>((document, operation) => {
    try {
      return applyJsonPatch(document, [operation]);
    } catch (error) {
      if (!isStatusError(error)) throw error;
      throw failure(422, 'Invalid', patchProblem(operation));
    }
  }, object);
  checkNesting(patched);
  return patched;
}

/** The error of an operation that does not apply. */
export function patchProblem({ op, path, from }: Record<string, unknown>): string {
  const at = quote(String(path ?? ''));
  switch (op) {
    case 'add':
      return `add operation does not apply: doc is missing path: ${at}: missing value`;
    case 'remove':
      return `remove operation does not apply: doc is missing key: ${at}: missing value`;
    case 'replace':
      return `replace operation does not apply: doc is missing path: ${at}: missing value`;
    case 'move':
    case 'copy':
      return `${op} operation does not apply: doc is missing from path: ${quote(String(from ?? ''))}: missing value`;
    case 'test':
      return `testing path ${at} failed: test failed`;
    default:
      return `unexpected kind: ${String(op ?? 'unknown')}`;
  }
}
