/**
 * The contract between validation and CEL. The compiler is in another folder and comes with the ValidationContext.
 * Without it, expressions are not compiled.
 */
import { featureEnabled } from '../feature-gates/feature-gates.ts';

export interface CelCompilation {
  /** Upstream's error if the expression does not compile. */
  readonly error?: CelCompilationError;
  /** The maximum estimated cost of one evaluation. */
  readonly maxCost: number;
  /** The maximum number of evaluations in one object, from the sizes that the schema of the rule allows. */
  readonly maxCardinality: number;
  /** Whether the expression uses `oldSelf`. */
  readonly usesOldSelf: boolean;
}

export interface CelCompilationError {
  readonly type: 'required' | 'invalid' | 'internal';
  readonly detail: string;
}

interface CompatibleExpression {
  /** The minor version whose functions the expression may use; default all. */
  readonly compatibility?: number;
}

/** A rule of a custom resource's schema. */
export interface CelSchemaRule extends CompatibleExpression {
  readonly expression: string;
  /** A rule must evaluate to a bool, its messageExpression to a string. */
  readonly use: 'rule' | 'messageExpression';
  /** The root schema, and the path from it to the schema with the rule. */
  readonly rootSchema: unknown;
  readonly schema: unknown;
  /** Whether the schema describes a whole resource: then `self` has apiVersion, kind and metadata. */
  readonly isResourceRoot: boolean;
  readonly optionalOldSelf: boolean;
}

/** An expression of a policy or of a webhook's match conditions. */
export interface CelAdmissionExpression extends CompatibleExpression {
  readonly expression: string;
  readonly use:
    | 'matchCondition'
    | 'variable'
    | 'validation'
    | 'messageExpression'
    | 'auditAnnotation'
    | 'applyConfiguration'
    | 'jsonPatch';
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** The variables that the expression may use, in the order of their declaration; without it there is no `variables`. */
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
}

/** A rule that a default value fails. */
export interface CelValueFailure {
  /** The path inside the value: `spec.a`, or empty. */
  readonly field: string;
  readonly reason: 'FieldValueRequired' | 'FieldValueForbidden' | 'FieldValueInvalid' | 'FieldValueDuplicate';
  readonly value: unknown;
  readonly detail: string;
}

/** What a new device selector may use; default everything. */
export interface DeviceSelectorKnowledge extends CompatibleExpression {
  /** Whether `device` has the fields of this feature gate. */
  readonly consumableCapacity?: boolean;
  /** Whether attributes may be lists, and the function `includes` is known. */
  readonly listAttributes?: boolean;
}

export interface CelCompiler {
  compileSchemaRule(rule: CelSchemaRule): CelCompilation;
  compileAdmissionExpression(expression: CelAdmissionExpression): CelCompilation;
  compileDeviceSelector(expression: string, known?: DeviceSelectorKnowledge): CelCompilation;
  /** Evaluates all rules of a schema on a value without an old value. */
  evaluateSchemaRules?(schema: unknown, value: unknown): readonly CelValueFailure[];
}

/**
 * The compiler for an object: of what the servers of the oldest compatible version can compile, too, and of what the feature gates
 * have. An expression that the old object has stays valid: a newer server stored it, or one with other gates.
 */
export function compilerOf({ cel, compatibility, features }: CelContext, old?: object): CelCompiler | undefined {
  if (!cel) return cel;
  const consumableCapacity = featureEnabled('DRAConsumableCapacity', features);
  const listAttributes = featureEnabled('DRAListTypeAttributes', features);
  let stored: Set<string> | undefined;
  const isStored = (expression: string): boolean => {
    if (!stored) collectTexts(old, (stored = new Set()));
    return stored.has(expression);
  };
  const limit = (expression: string): CompatibleExpression =>
    compatibility === undefined || isStored(expression) ? {} : { compatibility };
  return {
    ...cel,
    compileSchemaRule: (rule) => cel.compileSchemaRule({ ...rule, ...limit(rule.expression) }),
    compileAdmissionExpression: (given) => cel.compileAdmissionExpression({ ...given, ...limit(given.expression) }),
    compileDeviceSelector: (expression) =>
      cel.compileDeviceSelector(
        expression,
        isStored(expression) ? {} : { ...limit(expression), consumableCapacity, listAttributes },
      ),
  };
}

interface CelContext {
  readonly cel?: CelCompiler | undefined;
  readonly compatibility?: number;
  readonly features?: Readonly<Record<string, boolean>>;
}

function collectTexts(value: unknown, texts: Set<string>): void {
  if (typeof value === 'string') texts.add(value);
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) collectTexts(part, texts);
}
