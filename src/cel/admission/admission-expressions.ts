import type { CelAdmissionExpression, CelCompilation } from '../../machinery/validation/index.ts';
/** Compiles the expressions of one policy, which share their variables, or those of a webhook, which has none. */
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
  RESOURCE_CHECK,
  STRING,
  typeText,
} from '../index.ts';
import { NAMESPACE, REQUEST, variablesType } from './declarations.ts';
import { JSON_PATCH, jsonPatchLibrary, misnamedObject, OBJECT_TYPE, patchTypesIn } from './patch-types.ts';

export type ResultKind = 'bool' | 'string' | 'string-or-null' | 'any' | 'Object' | 'JSONPatches';

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
}

export interface AdmissionExpression {
  readonly source: string;
  /** Why it does not compile. */
  readonly error?: string;
  readonly program?: Program;
  readonly type?: CelType;
  /** What is wrong with the objects that it builds: shown when it is evaluated. */
  readonly misnamed?: string;
}

export interface Declarations {
  readonly hasParams: boolean;
  /** Absent where there is nothing to declare them in. */
  readonly variables?: readonly { readonly name?: string; readonly expression?: string }[];
  /** The objects' type, to check expressions against; without it they may have any fields. */
  readonly objectType?: CelType;
}

export class AdmissionExpressions {
  /** In the order of their declaration: each may use those before it. */
  readonly variables = new Map<string, AdmissionExpression>();
  readonly #types = new Map<string, CelType>();

  readonly #declarations: Declarations;

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
    for (const { name = '', expression = '' } of declarations.variables ?? []) {
      const compiled = this.compile(expression, { result: 'any', hasAuthorizer: true });
      this.variables.set(name, compiled);
      this.#types.set(name, declaredType(compiled.type));
    }
  }

  compile(source: string, { result, hasAuthorizer }: ExpressionOptions): AdmissionExpression {
    const built = result === 'Object' || result === 'JSONPatches' ? parsedOrUndefined(source) : undefined;
    try {
      const { program, type } = compile(source, this.#environment(hasAuthorizer, built ? patchTypesIn(built) : []));
      const mismatch = resultMismatch(RESULTS[result], type);
      if (mismatch !== undefined) return { source, error: mismatch };
      const misnamed = built && misnamedObject(built);
      return { source, program, type, ...(misnamed === undefined ? {} : { misnamed }) };
    } catch (error) {
      if (error instanceof CelCompileError) return { source, error: `compilation failed: ${error.problems}` };
      throw error;
    }
  }

  #environment(hasAuthorizer: boolean, objects: readonly ObjectType[]): Environment {
    const { hasParams, variables, objectType = DYN } = this.#declarations;
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
    });
  }
}

/** What objects an expression builds has to be known before it can be checked; its errors are told then. */
function parsedOrUndefined(source: string): Expression | undefined {
  try {
    return parse(source);
  } catch (error) {
    if (error instanceof CelSyntaxError) return undefined;
    throw error;
  }
}

/** Upstream keeps the types of scalars, lists and maps; whatever else a variable is, is dyn to its users. */
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

const USES: Readonly<Record<CelAdmissionExpression['use'], ResultKind>> = {
  matchCondition: 'bool',
  variable: 'any',
  validation: 'bool',
  messageExpression: 'string',
  auditAnnotation: 'string-or-null',
  applyConfiguration: 'Object',
  jsonPatch: 'JSONPatches',
};

/** For the validation of the objects that hold expressions. */
export function admissionExpressionProblem({
  expression,
  use,
  hasParams,
  hasAuthorizer,
  variables,
}: CelAdmissionExpression): CelCompilation {
  const { error } = new AdmissionExpressions({ hasParams, variables }).compile(expression, {
    result: USES[use],
    hasAuthorizer,
  });
  return {
    maxCost: 0,
    maxCardinality: 1,
    usesOldSelf: false,
    ...(error === undefined ? {} : { error: { type: 'invalid' as const, detail: error } }),
  };
}
