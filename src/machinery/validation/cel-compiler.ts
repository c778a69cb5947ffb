/**
 * What validation asks of CEL. The compiler is part of another folder and comes in with the context; without it,
 * expressions are checked for everything but whether they compile.
 */
export interface CelCompilation {
  /** Where and why the expression does not compile, as upstream words it; absent when it does. */
  readonly error?: CelCompilationError;
  /** The greatest estimated cost of one evaluation. */
  readonly maxCost: number;
  /** The greatest number of times that a rule runs, seen from the sizes that its own schema allows. */
  readonly maxCardinality: number;
  /** Whether the expression refers to the value before the update. */
  readonly usesOldSelf: boolean;
}

export interface CelCompilationError {
  readonly type: 'required' | 'invalid' | 'internal';
  readonly detail: string;
}

/** A rule of a custom resource's schema. */
export interface CelSchemaRule {
  readonly expression: string;
  /** The rule itself gives a bool, its message a string. */
  readonly use: 'rule' | 'messageExpression';
  /** The schema's root, and the steps from there to the schema that holds the rule. */
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
  /** The variables that the expression may use, in the order of their declaration. */
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
}

/** A value against the rules of a schema, for defaults. */
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
  /** Runs the schema's rules, at every depth, on a value that has no predecessor. */
  evaluateSchemaRules?(schema: unknown, value: unknown): readonly CelValueFailure[];
}
