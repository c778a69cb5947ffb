/**
 * The CEL expressions of a policy on one request. The main thread evaluates what its allowance pays for, and leaves the rest
 * to the thread of stages.
 */
import {
  type AdmissionExpression,
  AdmissionExpressions,
  type AdmissionVariables,
  Budget,
  type Declarations,
  Evaluation,
  type ExpressionOptions,
  OutOfBudgetError,
  toJson,
} from '../../cel/admission/index.ts';
import {
  type Allowance,
  AUTHORIZER,
  type AuthorizationAttributes,
  type AuthorizationDecision,
  AuthorizerValue,
  RESOURCE_CHECK,
} from '../../cel/index.ts';

/** The values are JSON. */
export type ExpressionOutcome = { readonly value: unknown } | { readonly error: string };

interface ExpressionsInput {
  /** `authorizer` and `requestResource` are made of the next two. */
  readonly variables: Omit<AdmissionVariables, 'authorizer' | 'requestResource'>;
  /** What `authorizer.requestResource` asks about. */
  readonly requestResource: Omit<AuthorizationAttributes, 'verb'>;
  /** Throws UndecidedError to interrupt the evaluation. */
  readonly authorize: (question: AuthorizationAttributes) => AuthorizationDecision;
}

/** The decision of the authorizer is not known yet. It is not a CEL error, so no operator of the expression can absorb it. */
export class UndecidedError extends Error {
  override readonly name = 'UndecidedError';

  constructor(readonly question: AuthorizationAttributes) {
    super('the decision of the authorizer is pending');
  }
}

/** Evaluates expressions for one request. They share the values of declared variables. */
export class ExpressionEvaluation {
  readonly #evaluation: Evaluation;

  constructor(
    declared: AdmissionExpressions,
    { variables, requestResource, authorize }: ExpressionsInput,
    allowance?: Allowance,
  ) {
    const input = {
      ...variables,
      authorizer: new AuthorizerValue(AUTHORIZER.name, authorize),
      requestResource: new AuthorizerValue(RESOURCE_CHECK.name, authorize, requestResource),
    };
    this.#evaluation = new Evaluation(declared, input, allowance);
  }

  /** Throws OutOfBudgetError, UndecidedError and AllowanceExceededError. After an UndecidedError it can be called again. */
  evaluate(expression: AdmissionExpression, budget: Budget): ExpressionOutcome {
    const outcome = this.#evaluation.evaluate(expression, budget);
    return 'error' in outcome ? outcome : asJson(outcome.value);
  }
}

function asJson(value: Parameters<typeof toJson>[0]): ExpressionOutcome {
  try {
    return { value: toJson(value) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** The input of the stage, which compiles the expressions anew. */
export interface EvaluateInput {
  readonly declarations: Omit<Declarations, 'objectType'>;
  readonly expressions: readonly { readonly source: string; readonly options: ExpressionOptions }[];
  /** JSON of the variables. */
  readonly variables: string;
  readonly requestResource: ExpressionsInput['requestResource'];
  /** The decisions that are known, by the JSON of the question. */
  readonly decisions: ReadonlyMap<string, AuthorizationDecision>;
  readonly budget: number;
}

export type EvaluateOutput =
  | { readonly outcomes: readonly ExpressionOutcome[]; readonly budget: number }
  | { readonly outOfBudget: true }
  /** The stage wants to be asked again with this decision. */
  | { readonly undecided: AuthorizationAttributes };

export function evaluateInThread(
  { declarations, expressions, requestResource, decisions, budget: remaining }: EvaluateInput,
  variables: ExpressionsInput['variables'],
): EvaluateOutput {
  const declared = new AdmissionExpressions(declarations);
  const budget = new Budget(remaining);
  const authorize = (question: AuthorizationAttributes): AuthorizationDecision => {
    const known = decisions.get(JSON.stringify(question));
    if (!known) throw new UndecidedError(question);
    return known;
  };
  const evaluation = new ExpressionEvaluation(declared, { variables, requestResource, authorize });
  try {
    const outcomes = expressions.map(({ source, options }) =>
      evaluation.evaluate(declared.compile(source, options), budget),
    );
    return { outcomes, budget: budget.remaining };
  } catch (error) {
    if (error instanceof OutOfBudgetError) return { outOfBudget: true };
    if (error instanceof UndecidedError) return { undecided: error.question };
    throw error;
  }
}
