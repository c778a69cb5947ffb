/**
 * Compiles x-kubernetes-validations rules for the validation of CustomResourceDefinitions: their errors, estimated
 * cost and cardinality.
 */
import { FieldError } from '../machinery/errors/index.ts';
import type {
  CelCompilation,
  CelCompilationError,
  CelCompiler,
  CelSchemaRule,
  CelValueFailure,
  Schema,
} from '../machinery/validation/index.ts';
import { CelCompileError, checkSource } from './compile.ts';
import { programProblem } from './constant-conversions.ts';
import { estimateCost } from './cost-estimate.ts';
import { ruleEnvironments, type RuleEnvironments } from './schema-environment.ts';
import { compileSchemaRules } from './schema-rules.ts';
import { maxCardinality, schemaType } from './schema-type.ts';
import type { CelType } from './types.ts';

interface SchemaEnvironment extends RuleEnvironments {
  readonly type: CelType;
}

/** Rules of one schema share its types. */
const environments = new WeakMap<object, Map<string, SchemaEnvironment | undefined>>();

function environmentOf({ schema: of, isResourceRoot, compatibility }: CelSchemaRule): SchemaEnvironment | undefined {
  const schema = of as Schema;
  const key = `${isResourceRoot} ${compatibility ?? ''}`;
  let known = environments.get(schema);
  if (!known) environments.set(schema, (known = new Map()));
  if (!known.has(key)) {
    const type = schemaType(schema, isResourceRoot);
    known.set(key, type && { type, ...ruleEnvironments(type, compatibility) });
  }
  return known.get(key);
}

/** A rule is compiled once per schema. */
const compiled = new WeakMap<object, Map<string, CelCompilation>>();

function compileSchemaRule(rule: CelSchemaRule): CelCompilation {
  const schema = rule.schema as Schema;
  let known = compiled.get(schema);
  if (!known) compiled.set(schema, (known = new Map()));
  const { use, isResourceRoot, optionalOldSelf, compatibility = '' } = rule;
  const key = `${use} ${isResourceRoot} ${optionalOldSelf} ${compatibility} ${rule.expression}`;
  let result = known.get(key);
  if (!result) known.set(key, (result = compileRule(rule)));
  return result;
}

function compileRule(rule: CelSchemaRule): CelCompilation {
  const { expression, use, optionalOldSelf } = rule;
  const failed = (detail: string, type: CelCompilationError['type'] = 'invalid'): CelCompilation => ({
    error: { type, detail },
    maxCost: 0,
    maxCardinality: 0,
    usesOldSelf: false,
  });
  const environment = environmentOf(rule);
  if (!environment) return failed('failed to convert to declType for CEL validation rules', 'internal');
  const prefix = use === 'rule' ? '' : 'messageExpression ';
  try {
    const checked = checkSource(expression, optionalOldSelf ? environment.optionalOldSelf : environment.plain);
    const wanted = use === 'rule' ? 'bool' : 'string';
    if (checked.type.kind !== wanted)
      return failed(
        use === 'rule' ? 'cel expression must evaluate to a bool' : 'messageExpression must evaluate to a string',
      );
    const problem = programProblem(checked);
    if (problem !== undefined)
      return failed(use === 'rule' ? problem : `messageExpression ${problem.replace(/^program /, '')}`);
    return {
      maxCost: estimateCost(checked, () => environment.type).max,
      maxCardinality: maxCardinality(environment.type),
      usesOldSelf: checked.references.has('oldSelf'),
    };
  } catch (error) {
    if (error instanceof CelCompileError) return failed(`${prefix}compilation failed: ${error.problems}`);
    throw error;
  }
}

function evaluateSchemaRules(schema: unknown, value: unknown): readonly CelValueFailure[] {
  const rules = compileSchemaRules(schema as Schema, false);
  if (!rules) return [];
  const errors: FieldError[] = [];
  rules.validate(errors, [], value, undefined);
  return errors.map(({ type, field, value: shown, detail }) => ({
    field: field === '<nil>' ? '' : field,
    reason: type as CelValueFailure['reason'],
    value: shown,
    detail,
  }));
}

/** The part of CelCompiler that is about schemas. */
export const schemaCelCompiler: Pick<CelCompiler, 'compileSchemaRule' | 'evaluateSchemaRules'> = {
  compileSchemaRule,
  evaluateSchemaRules,
};
