/**
 * The Common Expression Language as Kubernetes has it: parsed, checked against declared types in cel-go's words,
 * estimated, and compiled once into functions that count their costs and stop at a limit. `compile` takes an expression and
 * an Environment of variables; `SchemaRules` are the rules of a custom resource's schema; `schemaCelCompiler` is what the
 * validation of definitions asks.
 */
export { CelCompileError, checkSource, compile, type Compiled } from './compile.ts';
export { compileDeviceSelector, DEVICE, deviceSelectorEnvironment } from './device-selector.ts';
export { estimateCost, type Range, type RootType } from './cost-estimate.ts';
export { Environment, type EnvironmentOptions } from './environment.ts';
export { method, overload, type Library, type Overload } from './function-table.ts';
export { Program, type Outcome, type Variables } from './program.ts';
export { compileSchemaRules, type SchemaRules } from './schema-rules.ts';
export { schemaCelCompiler } from './schema-compiler.ts';
export { schemaType } from './schema-type.ts';
export { typedValue, untypedValue } from './schema-value.ts';
export * as types from './types.ts';
export {
  CelError,
  CelObject,
  CostLimitError,
  Duration,
  LibraryValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type MapKey,
  type Value,
} from './values.ts';
export { escapeName } from './escape-name.ts';
export {
  type AuthorizationAnswer,
  type AuthorizationQuestion,
  AUTHORIZER,
  AuthorizerValue,
  RESOURCE_CHECK,
} from './library/authorizer.ts';
export { parse } from './parser.ts';
export { CelSyntaxError } from './source-error.ts';
export { type Expression } from './syntax-tree.ts';
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
