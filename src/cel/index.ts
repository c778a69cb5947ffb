/**
 * CEL, the Common Expression Language, as Kubernetes uses it: parser, type checker with cel-go's messages, cost estimation,
 * the Kubernetes libraries, and programs that count their cost and stop at a limit.
 *
 * `compile` compiles an expression in an `Environment` of variables. `compileSchemaRules` compiles the
 * x-kubernetes-validations rules of a schema, and `schemaCelCompiler` checks them for the validation of
 * CustomResourceDefinitions. `compileDeviceSelector` is for resource.k8s.io; admission policies are in `admission/`.
 */
export { Allowance, AllowanceExceededError } from './allowance.ts';
export { CelCompileError, compile, type Compiled } from './compile.ts';
export { programProblem } from './constant-conversions.ts';
export { compileDeviceSelector, DEVICE, deviceSelectorEnvironment } from './device-selector.ts';
export { Environment } from './environment.ts';
export { escapeName } from './escape-name.ts';
export { overload, type Library } from './function-table.ts';
export {
  AUTHORIZER,
  type AuthorizationAttributes,
  type AuthorizationDecision,
  AuthorizerValue,
  RESOURCE_CHECK,
} from './library/authorizer.ts';
export { parse } from './parser.ts';
export { Program } from './program.ts';
export { schemaCelCompiler } from './schema-compiler.ts';
export { compileSchemaRules, type SchemaRules } from './schema-rules.ts';
export { schemaType } from './schema-type.ts';
export { untypedValue } from './schema-value.ts';
export { CelSyntaxError } from './source-error.ts';
export { partsOf, type Expression } from './syntax-tree.ts';
export * as types from './types.ts';
export {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  type ObjectField,
  type ObjectType,
  STRING,
  TIMESTAMP,
  typeText,
} from './types.ts';
export {
  CelError,
  CelObject,
  Duration,
  LibraryValue,
  type MapKey,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from './values.ts';
