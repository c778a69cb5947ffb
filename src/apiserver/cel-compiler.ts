/** The CEL that validation compiles expressions with: each use of CEL brings its own environment. */
import { schemaCelCompiler } from '../machinery/cel/index.ts';
import { admissionExpressionProblem } from '../machinery/cel-admission/index.ts';
import type { CelCompiler } from '../machinery/validation/cel-compiler.ts';

export const celCompiler: CelCompiler = {
  ...schemaCelCompiler,
  compileAdmissionExpression: admissionExpressionProblem,
  // Selectors of devices are compiled by those who allocate them.
  compileDeviceSelector: () => ({ maxCost: 0, maxCardinality: 1, usesOldSelf: false }),
};
