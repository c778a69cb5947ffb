/** The CEL environments that validation compiles expressions in, by use. */
import { admissionExpressionProblem } from '../../cel/admission/index.ts';
import { compileDeviceSelector, schemaCelCompiler } from '../../cel/index.ts';
import type { CelCompiler } from '../../machinery/validation/index.ts';

export const celCompiler: CelCompiler = {
  ...schemaCelCompiler,
  compileAdmissionExpression: admissionExpressionProblem,
  compileDeviceSelector,
};
