/**
 * The contract between validation and CEL. The compiler is in another folder and comes with the ValidationContext.
 * Without it, expressions are not compiled.
 */
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

/** A rule of a custom resource's schema. */
export interface CelSchemaRule {
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
export interface CelAdmissionExpression {
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

export interface CelCompiler {
  compileSchemaRule(rule: CelSchemaRule): CelCompilation;
  compileAdmissionExpression(expression: CelAdmissionExpression): CelCompilation;
  compileDeviceSelector(expression: string): CelCompilation;
  /** Evaluates all rules of a schema on a value without an old value. */
  evaluateSchemaRules?(schema: unknown, value: unknown): readonly CelValueFailure[];
}
