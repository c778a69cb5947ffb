/** Applies the JSON patch of a MutatingAdmissionPolicy. A patch whose `test` operation fails changes nothing. */
import { checkNesting } from '../../../machinery/decode/index.ts';
import { isStatusError } from '../../../machinery/errors/index.ts';
import { applyJsonPatch } from '../../../machinery/patch/index.ts';
import { isFailedTest, patchProblem } from '../webhook/index.ts';

export function applyPolicyPatch<T>(object: T, operations: readonly Record<string, unknown>[]): T {
  let document: unknown = object;
  for (const operation of operations) {
    try {
      document = applyJsonPatch(document, [operation]);
    } catch (error) {
      if (!isStatusError(error)) throw error;
      const problem = patchProblem(document, operation);
      if (isFailedTest(problem)) return object;
      throw new Error(`JSON Patch: ${problem}`, { cause: error });
    }
  }
  checkNesting(document);
  return document as T;
}
