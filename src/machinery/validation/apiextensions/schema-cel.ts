/** Validates the CEL rules of a schema (x-kubernetes-validations): their form, compilation and estimated cost. */
import type { ValidationRule } from '../../../api/generated/apiextensions-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  type Path,
  required,
} from '../../errors/index.ts';
import type { CelCompilation, CelCompiler } from '../cel-compiler.ts';
import { goStruct } from '../go-struct.ts';
import { followFieldPath } from './field-path.ts';
import type { SchemaErrors } from './schema-errors.ts';
import { isEmbeddedResource, type Schema } from './schema-props.ts';
import { structuralFormProblem } from './structural.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const NEWLINE = /[\n\r]/;
/** The limits of the estimated CEL cost of one rule, and of all rules of a version. */
const RULE_COST_LIMIT = 10_000_000;
const TOTAL_COST_LIMIT = 100_000_000;
const REPORTED_RULES = 4;

interface RuleCost {
  readonly at: Path;
  readonly cost: number;
}

/** The total estimated cost of all rules of a schema. */
class TotalCost {
  #total = 0;
  #expensive: RuleCost[] = [];

  observe(at: Path, cost: number): void {
    this.#total += cost;
    if (cost < TOTAL_COST_LIMIT / 100) return;
    this.#expensive = [...this.#expensive, { at, cost }].sort((a, b) => b.cost - a.cost).slice(0, REPORTED_RULES);
  }

  report(errors: FieldError[], at: Path): void {
    if (this.#total <= TOTAL_COST_LIMIT) return;
    for (const { at: ruleAt } of this.#expensive) {
      errors.push(
        forbiddenField(
          ruleAt,
          'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
        ),
      );
    }
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    errors.push(forbiddenField(at, costMessage(what, this.#total, TOTAL_COST_LIMIT)));
  }
}

function costMessage(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  const advice =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';
  return `${what} exceeds budget by factor of ${shown} (${advice})`;
}

/** The CEL context of a schema node: its compiler, and how often its values can occur in one object. */
export class CelSchemaContext {
  private constructor(
    readonly compiler: CelCompiler,
    readonly rootSchema: Schema,
    readonly total: TotalCost,
    readonly ignoreRuleCost: boolean,
    /** Unbounded when absent. */
    readonly cardinality: number | undefined,
    readonly isRoot: boolean,
  ) {}

  static root(
    compiler: CelCompiler,
    schema: Schema,
    { ignoreRuleCost }: { ignoreRuleCost: boolean },
  ): CelSchemaContext {
    return new CelSchemaContext(compiler, schema, new TotalCost(), ignoreRuleCost, 1, true);
  }

  child(parent: Schema): CelSchemaContext {
    const elements = maxElements(parent);
    const cardinality =
      this.cardinality === undefined || elements === undefined ? undefined : this.cardinality * elements;
    return new CelSchemaContext(this.compiler, this.rootSchema, this.total, this.ignoreRuleCost, cardinality, false);
  }
}

/** The maximum number of elements of a list or map; 1 for other schemas. */
function maxElements(schema: Schema): number | undefined {
  if (schema.type === 'array') return schema.maxItems == null ? undefined : Math.max(0, schema.maxItems);
  if (schema.type !== 'object' || schema.additionalProperties == null) return 1;
  return schema.maxProperties == null ? undefined : Math.max(0, schema.maxProperties);
}

interface RulesScope {
  readonly context: CelSchemaContext | undefined;
  readonly uncorrelatable: Path | undefined;
}

export function validateCelRules(found: SchemaErrors, schema: Schema, at: Path, scope: RulesScope): void {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return;
  const rulesAt = at.child('x-kubernetes-validations');
  for (const [i, rule] of rules.entries()) validateRuleForm(found.schema, rule, rulesAt.index(i), schema);
  // An invalid schema has no CEL types.
  if (found.schema.length > 0 || !scope.context) return;
  for (const [i, rule] of rules.entries())
    compileRule(found.cel, rule, rulesAt.index(i), { ...scope, context: scope.context, schema });
}

function validateRuleForm(errors: FieldError[], rule: ValidationRule, at: Path, schema: Schema): void {
  const { rule: text = '', message = '', messageExpression = '', reason, fieldPath = '' } = rule;
  const trimmedMessage = message.trim();
  if (text.trim() === '') errors.push(required(at.child('rule'), 'rule is not specified'));
  else if (message !== '' && trimmedMessage === '')
    errors.push(invalidValue(at.child('message'), message, 'must be non-empty if specified'));
  else if (NEWLINE.test(trimmedMessage))
    errors.push(invalidValue(at.child('message'), message, 'must not contain line breaks'));
  else if (NEWLINE.test(text.trim()) && trimmedMessage === '') {
    errors.push(required(at.child('message'), 'message must be specified if rule contains line breaks'));
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(required(at.child('messageExpression'), 'messageExpression must be non-empty if specified'));
  }
  if (reason != null && !REASONS.includes(reason)) errors.push(notSupported(at.child('reason'), reason, REASONS));
  if (fieldPath === '') return;
  const fieldAt = at.child('fieldPath');
  if (fieldPath.trim() === '') errors.push(invalidValue(fieldAt, fieldPath, 'must be non-empty if specified'));
  if (NEWLINE.test(fieldPath)) errors.push(invalidValue(fieldAt, fieldPath, 'must not contain line breaks'));
  const leadsNowhere =
    structuralFormProblem(schema) === undefined &&
    typeof followFieldPath(fieldPath, schema, { brackets: true }) === 'string';
  if (leadsNowhere) errors.push(invalidValue(fieldAt, fieldPath, 'must be a valid path'));
}

interface CompileScope {
  readonly context: CelSchemaContext;
  readonly uncorrelatable: Path | undefined;
  readonly schema: Schema;
}

function compileRule(
  errors: FieldError[],
  rule: ValidationRule,
  at: Path,
  { context, uncorrelatable, schema }: CompileScope,
): void {
  const { rule: expression = '', messageExpression, optionalOldSelf } = rule;
  const shown = goStruct('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule', rule);
  const base = {
    rootSchema: context.rootSchema,
    schema,
    isResourceRoot: context.isRoot || isEmbeddedResource(schema),
    optionalOldSelf: optionalOldSelf === true,
  };
  const ruleAt = at.child('rule');
  const compiled = context.compiler.compileSchemaRule({ ...base, expression, use: 'rule' });
  observeCost(errors, ruleAt, context, {
    cost: compiled.maxCost * (context.cardinality ?? compiled.maxCardinality),
    what: 'estimated rule cost',
  });
  if (compiled.error?.type === 'required') errors.push(required(ruleAt, compiled.error.detail));
  else if (compiled.error) errors.push(invalidValue(ruleAt, shown, compiled.error.detail));
  // As upstream, the messages of a rule that does not compile are not checked.
  if (messageExpression && !compiled.error) {
    const messageAt = at.child('messageExpression');
    const message: CelCompilation = context.compiler.compileSchemaRule({
      ...base,
      expression: messageExpression,
      use: 'messageExpression',
    });
    if (message.error) errors.push(invalidValue(messageAt, shown, message.error.detail));
    else observeCost(errors, messageAt, context, { cost: message.maxCost, what: 'estimated messageExpression cost' });
  }
  if (compiled.usesOldSelf) {
    if (!uncorrelatable) return;
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    errors.push(invalidValue(ruleAt, expression, detail));
  } else if (optionalOldSelf != null) {
    errors.push(
      invalidValue(at.child('optionalOldSelf'), optionalOldSelf, 'may not be set if oldSelf is not used in rule'),
    );
  }
}

function observeCost(
  errors: FieldError[],
  at: Path,
  context: CelSchemaContext,
  { cost, what }: { cost: number; what: string },
): void {
  if (!context.ignoreRuleCost && cost > RULE_COST_LIMIT)
    errors.push(forbiddenField(at, costMessage(what, cost, RULE_COST_LIMIT)));
  context.total.observe(at, cost);
}
