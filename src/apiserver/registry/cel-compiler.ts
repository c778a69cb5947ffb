import { compileAdmissionExpression } from '../../cel/admission/index.ts';
/** The CEL that validation compiles expressions with: each use of CEL brings its own environment. */
import { compileDeviceSelector, schemaCelCompiler } from '../../cel/index.ts';
import type { CelCompiler } from '../../machinery/validation/index.ts';

export const celCompiler: CelCompiler = {
  ...schemaCelCompiler,
  compileAdmissionExpression: compileAdmissionExpression,
  compileDeviceSelector,
};
