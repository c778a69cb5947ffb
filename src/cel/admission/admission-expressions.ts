/**
 * Compiles the CEL expressions of one admission policy, which share its variables, or the match conditions of a
 * webhook.
 */
import type { CelAdmissionExpression, CelCompilation } from '../../machinery/validation/index.ts';
import {
  AUTHORIZER,
  BOOL,
  CelCompileError,
  CelSyntaxError,
  type CelType,
  compile,
  DYN,
  Environment,
  type Expression,
  listOf,
  NULL,
  type ObjectType,
  parse,
  type Program,
  programProblem,
  RESOURCE_CHECK,
  STRING,
  typeText,
} from '../index.ts';
import { NAMESPACE, REQUEST, variablesType } from './declarations.ts';
import { JSON_PATCH, jsonPatchLibrary, objectTypeNameError, OBJECT_TYPE, patchTypesIn } from './patch-types.ts';

type ResultKind = 'bool' | 'string' | 'string-or-null' | 'any' | 'Object' | 'JSONPatches';

const RESULTS: Readonly<Record<ResultKind, readonly CelType[]>> = {
  bool: [BOOL],
  string: [STRING],
  'string-or-null': [STRING, NULL],
  any: [],
  Object: [OBJECT_TYPE],
  JSONPatches: [listOf(JSON_PATCH)],
};

export interface ExpressionOptions {
  readonly result: ResultKind;
  readonly hasAuthorizer: boolean;
  /** The minor version whose functions the expression may use; default all. */
  readonly compatibility?: number | undefined;
}

export interface AdmissionExpression {
  readonly source: string;
  readonly options: ExpressionOptions;
  /** Why it does not compile. */
  readonly error?: string;
  /** It compiles, and no program can be made of it: upstream calls that an internal error. */
  readonly internal?: true;
  readonly program?: Program;
  readonly type?: CelType;
  /** A wrong type name in an object literal. As upstream, it is reported when the expression is evaluated. */
  readonly typeNameError?: string;
}

export interface Declarations {
  readonly hasParams: boolean;
  /** Absent for webhooks, which cannot declare variables. */
  readonly variables?: readonly { readonly name?: string; readonly expression?: string }[];
  /** The type of `object` and `oldObject`; without it they may have any field. */
  readonly objectType?: CelType;
}

export class AdmissionExpressions {
  /** In declaration order: a variable may use those before it. */
  readonly variables = new Map<string, AdmissionExpression>();
  readonly declarations: Declarations;
  readonly #types = new Map<string, CelType>();

  constructor(declarations: Declarations) {
    this.declarations = declarations;
    for (const { name = '', expression = '' } of declarations.variables ?? []) {
      const compiled = this.compile(expression, { result: 'any', hasAuthorizer: true });
      this.variables.set(name, compiled);
      this.#types.set(name, declaredType(compiled.type));
    }
  }

  compile(source: string, options: ExpressionOptions): AdmissionExpression {
    const { result } = options;
    const built = result === 'Object' || result === 'JSONPatches' ? parsedOrUndefined(source) : undefined;
    try {
      const { checked, program, type } = compile(source, this.#environment(options, built ? patchTypesIn(built) : []));
      const mismatch = resultMismatch(RESULTS[result], type);
      if (mismatch !== undefined) return { source, options, error: mismatch };
      const problem = programProblem(checked);
      if (problem !== undefined) return { source, options, error: problem, internal: true };
      const typeNameError = built && objectTypeNameError(built);
      return { source, options, program, type, ...(typeNameError === undefined ? {} : { typeNameError }) };
    } catch (error) {
      if (error instanceof CelCompileError) return { source, options, error: `compilation failed: ${error.problems}` };
      throw error;
    }
  }

  #environment({ hasAuthorizer, compatibility }: ExpressionOptions, objects: readonly ObjectType[]): Environment {
    const { hasParams, variables, objectType = DYN } = this.declarations;
    return new Environment({
      variables: {
        object: objectType,
        oldObject: objectType,
        request: REQUEST,
        namespaceObject: NAMESPACE,
        ...(hasParams ? { params: DYN } : {}),
        ...(hasAuthorizer ? { authorizer: AUTHORIZER, 'authorizer.requestResource': RESOURCE_CHECK } : {}),
        ...(variables ? { variables: variablesType(this.#types) } : {}),
      },
      objects,
      libraries: objects.length > 0 ? [jsonPatchLibrary] : [],
      compatibility,
    });
  }
}

/** The checker has to know the object types that an expression builds. `compile` reports syntax errors. */
function parsedOrUndefined(source: string): Expression | undefined {
  try {
    return parse(source);
  } catch (error) {
    if (error instanceof CelSyntaxError) return undefined;
    throw error;
  }
}

/** As upstream, a variable keeps the type of a scalar, list or map. Every other type becomes dyn. */
function declaredType(type: CelType | undefined): CelType {
  if (!type || type.kind === 'object' || type.kind === 'opaque' || type.kind === 'type') return DYN;
  return type;
}

const resultText = (type: CelType): string => (type.kind === 'null' ? 'null_type' : typeText(type));

function resultMismatch(wanted: readonly CelType[], actual: CelType): string | undefined {
  const names = wanted.map(resultText);
  const name = resultText(actual);
  if (names.length === 0 || names.includes(name)) return undefined;
  return names.length === 1
    ? `must evaluate to ${names[0]} but got ${name}`
    : `must evaluate to one of [${names.join(' ')}] but got ${name}`;
}

const RESULT_BY_USE: Readonly<Record<CelAdmissionExpression['use'], ResultKind>> = {
  matchCondition: 'bool',
  variable: 'any',
  validation: 'bool',
  messageExpression: 'string',
  auditAnnotation: 'string-or-null',
  applyConfiguration: 'Object',
  jsonPatch: 'JSONPatches',
};

/** Compiles one expression for the validation of the policy or webhook configuration that contains it. */
export function compileAdmissionExpression({
  expression,
  use,
  hasParams,
  hasAuthorizer,
  variables,
  compatibility,
}: CelAdmissionExpression): CelCompilation {
  const declarations = { hasParams, ...(variables ? { variables } : {}) };
  const { error, internal } = new AdmissionExpressions(declarations).compile(expression, {
    result: RESULT_BY_USE[use],
    hasAuthorizer,
    compatibility,
  });
  return {
    maxCost: 0,
    maxCardinality: 1,
    usesOldSelf: false,
    ...(error === undefined
      ? {}
      : { error: { type: internal ? ('internal' as const) : ('invalid' as const), detail: error } }),
  };
}
