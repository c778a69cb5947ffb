/**
 * Validation rules of a schema (x-kubernetes-validations): compiled once for each schema node that has any, and
 * evaluated on objects within a cost budget. Ratcheting: a rule that fails on an unchanged value gives only a
 * warning. Transition rules, which use `oldSelf`, run only where there is an old value.
 */
import type { ValidationRule } from '../api/generated/apiextensions-v1.ts';
import { isRecord, ownValue } from '../base/index.ts';
import { FieldError, OMIT_VALUE, path, type Path } from '../machinery/errors/index.ts';
import {
  additionalOf,
  followFieldPath,
  isEmbeddedResource,
  itemsOf,
  type Schema,
  semanticEqual,
} from '../machinery/validation/index.ts';
import type { Allowance } from './allowance.ts';
import { CelCompileError, compile, type Compiled } from './compile.ts';
import { programProblem } from './constant-conversions.ts';
import type { Variables } from './run.ts';
import { ruleEnvironments } from './schema-environment.ts';
import { asResource, schemaType } from './schema-type.ts';
import { typedValue } from './schema-value.ts';
import type { CelType } from './types.ts';
import { CostLimitError, Optional, type Value } from './values.ts';

const PER_CALL_LIMIT = 1_000_000;
const BUDGET = 10_000_000;
const MAX_MESSAGE_BYTES = 5 * 1024;
const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

export interface SchemaRules {
  /**
   * Adds errors, and warnings for rules that fail on unchanged values. Throws AllowanceExceededError above
   * `allowance`.
   */
  validate(errors: FieldError[], warnings: string[], value: unknown, old: unknown, allowance?: Allowance): void;
}

/** Undefined when no part of the schema has rules. */
export function compileSchemaRules(schema: Schema, isResourceRoot: boolean): SchemaRules | undefined {
  const root = compileNode(schema, schema, isResourceRoot);
  if (!root) return undefined;
  return {
    validate: (errors, warnings, value, old, allowance) =>
      new RuleEvaluation(errors, warnings, allowance).run(root, value, {
        at: undefined,
        old,
        correlated: old === undefined ? undefined : { value: old },
        parentUnchanged: undefined,
      }),
  };
}

interface Rule {
  readonly rule: ValidationRule;
  readonly compiled: Compiled | undefined;
  readonly problem: string | undefined;
  readonly message: Compiled | undefined;
  readonly usesOldSelf: boolean;
  readonly fieldPath: string;
}

interface RuleNode {
  readonly schema: Schema;
  readonly type: CelType | undefined;
  readonly rules: readonly Rule[];
  readonly items: RuleNode | undefined;
  readonly additional: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly allOf: readonly RuleNode[];
}

/** `rules` is the schema with the validations, `node` the one with the structure: inside allOf they differ. */
function compileNode(rules: Schema, node: Schema, isResource: boolean): RuleNode | undefined {
  const validations = rules['x-kubernetes-validations'] ?? [];
  const type = validations.length > 0 ? schemaType(node, isResource) : undefined;
  const own = validations.map((rule) => compileRule(rule, node, type));
  const [ruleItems, nodeItems] = [itemsOf(rules), itemsOf(node)];
  const [ruleValues, nodeValues] = [additionalOf(rules), additionalOf(node)];
  const items = ruleItems && nodeItems ? compileNode(ruleItems, nodeItems, isEmbeddedResource(nodeItems)) : undefined;
  const additional =
    ruleValues && nodeValues ? compileNode(ruleValues, nodeValues, isEmbeddedResource(nodeValues)) : undefined;
  const properties = new Map<string, RuleNode>();
  for (const name in rules.properties) {
    const structure = ownValue(node.properties, name);
    const property =
      structure && compileNode(ownValue(rules.properties, name)!, structure, isEmbeddedResource(structure));
    if (property) properties.set(name, property);
  }
  const allOf = (rules.allOf ?? [])
    .map((part) => compileNode(part, node, isResource))
    .filter((part) => part !== undefined);
  if (own.length === 0 && !items && !additional && properties.size === 0 && allOf.length === 0) return undefined;
  return { schema: isResource ? asResource(node) : node, type, rules: own, items, additional, properties, allOf };
}

function compileRule(rule: ValidationRule, schema: Schema, type: CelType | undefined): Rule {
  const failed = (problem: string): Rule => ({
    rule,
    compiled: undefined,
    problem,
    message: undefined,
    usesOldSelf: false,
    fieldPath: '',
  });
  if (!type) return failed('failed to convert to declType for CEL validation rules');
  const environments = ruleEnvironments(type);
  const environment = rule.optionalOldSelf ? environments.optionalOldSelf : environments.plain;
  try {
    const compiled = compile(rule.rule, environment);
    const problem = programProblem(compiled.checked);
    if (problem !== undefined) return failed(problem);
    const message = rule.messageExpression ? compileMessage(rule.messageExpression, environment) : undefined;
    return {
      rule,
      compiled,
      problem: undefined,
      message,
      usesOldSelf: compiled.checked.references.has('oldSelf'),
      fieldPath: normalizedPath(rule.fieldPath, schema),
    };
  } catch (error) {
    if (error instanceof CelCompileError) return failed(`compilation failed: ${error.problems}`);
    throw error;
  }
}

function compileMessage(expression: string, environment: Parameters<typeof compile>[1]): Compiled | undefined {
  try {
    return compile(expression, environment);
  } catch (error) {
    if (error instanceof CelCompileError) return undefined;
    throw error;
  }
}

function normalizedPath(fieldPath: string | undefined, schema: Schema): string {
  if (!fieldPath) return '';
  const found = followFieldPath(fieldPath, schema, { brackets: true });
  if (typeof found === 'string') return '';
  let at = path();
  let structure: Schema | undefined = schema;
  for (const step of found.steps) {
    const named: boolean = structure?.properties !== undefined;
    at = named ? at.child(step) : at.key(step);
    structure = named ? ownValue(structure?.properties, step) : structure && additionalOf(structure);
  }
  return at.toString();
}

/** Thrown when no further rules may run. */
class EvaluationStopped extends Error {}

interface Location {
  /** Absent for the whole object. */
  readonly at: Path | undefined;
  /** The old value, for transition rules. */
  readonly old: unknown;
  /** The old value for ratcheting, if the value can be correlated with one. */
  readonly correlated: { readonly value: unknown } | undefined;
  /** Whether the nearest correlated ancestor is unchanged. */
  readonly parentUnchanged: (() => boolean) | undefined;
}

class RuleEvaluation {
  #budget = BUDGET;

  readonly #errors: FieldError[];
  readonly #warnings: string[];
  readonly #allowance: Allowance | undefined;

  constructor(errors: FieldError[], warnings: string[], allowance: Allowance | undefined) {
    this.#errors = errors;
    this.#warnings = warnings;
    this.#allowance = allowance;
  }

  run(node: RuleNode, value: unknown, at: Location): void {
    try {
      this.#visit(node, value, at);
    } catch (error) {
      if (!(error instanceof EvaluationStopped)) throw error;
    }
  }

  #visit(node: RuleNode, value: unknown, at: Location): void {
    if (value === null || value === undefined) return;
    // Found once: every failing item of a long list asks for it.
    let known: boolean | undefined;
    const unchanged = (): boolean =>
      (known ??= at.correlated ? semanticEqual(value, at.correlated.value) : (at.parentUnchanged?.() ?? false));
    if (node.rules.length > 0) this.#rules(node, value, at, unchanged);
    for (const part of node.allOf) this.#visit(part, value, { ...at, correlated: undefined });
    if (Array.isArray(value)) this.#items(node, value, at, unchanged);
    else if (isRecord(value)) this.#fields(node, value, at, unchanged);
  }

  #items(
    { schema, items }: RuleNode,
    value: readonly unknown[],
    { at, old, correlated }: Location,
    parentUnchanged: () => boolean,
  ): void {
    if (!items) return;
    const keys = schema['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : undefined;
    const before = keys && Array.isArray(old) ? itemsByKeys(old, keys) : undefined;
    for (const [i, item] of value.entries()) {
      const itemKey = before && itemKeyOf(item, keys!);
      const same = itemKey === undefined ? undefined : before!.get(itemKey);
      const itemCorrelated = correlated && same !== undefined ? { value: same as unknown } : undefined;
      this.#visit(items, item, { at: (at ?? path()).index(i), old: same, correlated: itemCorrelated, parentUnchanged });
    }
  }

  #fields(
    node: RuleNode,
    value: Record<string, unknown>,
    { at, old, correlated }: Location,
    parentUnchanged: () => boolean,
  ): void {
    if (!node.additional && node.properties.size === 0) return;
    const before = isRecord(old) ? old : {};
    const known = correlated && isRecord(correlated.value) ? correlated.value : {};
    const below = at ?? path();
    for (const [name, child] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const typeMeta = at === undefined && (name === 'kind' || name === 'apiVersion');
      const fieldCorrelated = !typeMeta && Object.hasOwn(known, name) ? { value: known[name] } : undefined;
      const next = {
        old: before[name],
        correlated: fieldCorrelated,
        parentUnchanged: typeMeta ? undefined : parentUnchanged,
      };
      if (node.additional) this.#visit(node.additional, child, { ...next, at: below.key(name) });
      const property = node.properties.get(name);
      if (property) this.#visit(property, child, { ...next, at: below.child(name) });
    }
  }

  #rules({ schema, type, rules }: RuleNode, value: unknown, { at, old }: Location, unchanged: () => boolean): void {
    const field = at?.toString() ?? '<nil>';
    const invalid = (detail: string): FieldError =>
      new FieldError('FieldValueInvalid', field, schema.type ?? '', detail);
    if (this.#budget <= 0) this.#stop(invalid(OUT_OF_BUDGET));
    const hasOld = old !== null && old !== undefined;
    const values = lazyVariables(value, old, type);
    for (const rule of rules) {
      if (!rule.compiled) {
        this.#errors.push(invalid(`rule compile error: ${rule.problem}`));
        continue;
      }
      const optional = rule.rule.optionalOldSelf === true;
      if (rule.usesOldSelf && !hasOld && !optional) continue;
      const variables: Variables = (name) =>
        name === 'self' ? values.self() : name === 'oldSelf' ? values.oldSelf(optional) : undefined;
      const outcome = this.#run(rule.compiled, variables);
      const text = ruleText(rule.rule);
      if (outcome.cost > this.#budget) this.#stop(invalid(OUT_OF_BUDGET));
      this.#budget -= outcome.cost;
      if (outcome.error instanceof CostLimitError)
        this.#stop(
          invalid(
            `'${outcome.error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`,
          ),
        );
      if (outcome.error) {
        const { message } = outcome.error;
        const overload = message.startsWith('no such overload');
        this.#errors.push(
          invalid(
            overload
              ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${text}`
              : `${message} evaluating rule: ${text}`,
          ),
        );
        continue;
      }
      if (outcome.value !== true) this.#fail(rule, { value, schema, at, variables, unchanged });
    }
  }

  #fail(rule: Rule, { value, schema, at, variables, unchanged }: Failure): void {
    const field =
      rule.fieldPath === ''
        ? (at?.toString() ?? '<nil>')
        : (at ? `${at}${rule.fieldPath.startsWith('[') ? '' : '.'}` : '') + rule.fieldPath;
    const detail =
      this.#message(rule, variables) ??
      (rule.rule.message ? rule.rule.message.trim() : `failed rule: ${ruleText(rule.rule)}`);
    const shown = schema.type === 'object' || schema.type === 'array' ? OMIT_VALUE : value;
    const error = errorOf(rule.rule.reason, field, shown, detail);
    if (!rule.usesOldSelf && unchanged()) this.#warnings.push(error.toString());
    else this.#errors.push(error);
  }

  /** The result of messageExpression, unless it is empty, too long or has line breaks. */
  #message({ message }: Rule, variables: Variables): string | undefined {
    if (!message) return undefined;
    const { value, cost, error } = this.#run(message, variables);
    if (cost > this.#budget || error instanceof CostLimitError) {
      this.#budget = 0;
      return undefined;
    }
    this.#budget -= cost;
    if (typeof value !== 'string') return undefined;
    const text = value.trim();
    return text === '' || text.includes('\n') || Buffer.byteLength(text) > MAX_MESSAGE_BYTES ? undefined : text;
  }

  #run({ program }: Compiled, variables: Variables): ReturnType<Compiled['program']['run']> {
    return program.run(variables, PER_CALL_LIMIT, this.#allowance);
  }

  #stop(error: FieldError): never {
    this.#errors.push(error);
    throw new EvaluationStopped();
  }
}

function itemsByKeys(list: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> {
  const items = new Map<string, unknown>();
  for (const item of list) {
    const key = itemKeyOf(item, keys);
    if (key !== undefined && !items.has(key)) items.set(key, item);
  }
  return items;
}

/** Identifies an item of a list of type map; undefined where the item has no such keys. */
function itemKeyOf(item: unknown, keys: readonly string[]): string | undefined {
  if (!isRecord(item)) return undefined;
  let text = '';
  for (const key of keys) {
    const value = item[key];
    if (typeof value === 'object' && value !== null) return undefined;
    const own = String(value);
    text += `${typeof value}${own.length}:${own}`;
  }
  return text;
}

interface Failure {
  readonly value: unknown;
  readonly schema: Schema;
  readonly at: Path | undefined;
  readonly variables: Variables;
  readonly unchanged: () => boolean;
}

const ruleText = ({ rule, message }: ValidationRule): string => (message ? message.trim() : rule.trim());

function errorOf(reason: string | undefined, field: string, value: unknown, detail: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
    case 'FieldValueRequired':
      return new FieldError(reason, field, '', detail);
    case 'FieldValueDuplicate':
      return new FieldError(reason, field, value, '');
    default:
      return new FieldError('FieldValueInvalid', field, value, detail);
  }
}

/** `self` and `oldSelf` of a node's rules, converted when a rule first reads them. */
function lazyVariables(
  value: unknown,
  old: unknown,
  type: CelType | undefined,
): { self(): Value; oldSelf(optional: boolean): Value | undefined } {
  let self: Value | undefined;
  let before: Value | undefined;
  const convert = (json: unknown): Value => typedValue(json, type!);
  return {
    self: () => (self ??= convert(value)),
    oldSelf(optional) {
      const absent = old === null || old === undefined;
      if (!absent) before ??= convert(old);
      if (optional) return absent ? Optional.NONE : Optional.of(before!);
      return absent ? undefined : before;
    },
  };
}
