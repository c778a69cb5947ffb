/** The compiled validations and audit annotations of a ValidatingAdmissionPolicy. */
import type { ValidatingAdmissionPolicy, Validation } from '../../../api/generated/admissionregistration-v1.ts';
import { Budget, COST_BUDGET, OutOfBudgetError, type AdmissionExpression } from '../../../cel/admission/index.ts';
import type { ExpressionOutcome } from '../../stage-thread/evaluate-expressions.ts';
import { combineConditions } from '../match-conditions.ts';
import { evaluateConditions } from './evaluate-conditions.ts';
import type { CompilerFactory, EvaluationInput, PolicyExpressions } from './expressions.ts';

export type Decision =
  | { readonly action: 'admit' }
  | { readonly action: 'deny'; readonly message: string; readonly reason: string };

interface AnnotationResult {
  readonly key: string;
  readonly value?: string;
  readonly error?: string;
}

interface ValidationResult {
  readonly decisions: readonly Decision[];
  readonly auditAnnotations: readonly AnnotationResult[];
}

interface CompiledValidation {
  readonly validation: Validation;
  readonly expression: AdmissionExpression;
  readonly message: AdmissionExpression | undefined;
}

const ADMIT: Decision = { action: 'admit' };
const MAX_MESSAGE_BYTES = 5 * 1024;

export class PolicyValidator {
  readonly #compiler: PolicyExpressions;
  readonly #conditions: readonly AdmissionExpression[];
  readonly #validations: readonly CompiledValidation[];
  readonly #annotations: readonly { readonly key: string; readonly expression: AdmissionExpression }[];
  readonly #ignoresFailure: boolean;

  constructor({ spec = {} }: ValidatingAdmissionPolicy, createCompiler: CompilerFactory) {
    const compiler = (this.#compiler = createCompiler({
      hasParams: spec.paramKind !== undefined,
      variables: spec.variables ?? [],
    }));
    this.#ignoresFailure = spec.failurePolicy === 'Ignore';
    this.#conditions = (spec.matchConditions ?? []).map(({ expression }) =>
      compiler.compile(expression, { result: 'bool', hasAuthorizer: true }),
    );
    this.#validations = (spec.validations ?? []).map((validation) => ({
      validation,
      expression: compiler.compile(validation.expression ?? '', { result: 'bool', hasAuthorizer: true }),
      message: validation.messageExpression
        ? compiler.compile(validation.messageExpression, { result: 'string', hasAuthorizer: false })
        : undefined,
    }));
    this.#annotations = (spec.auditAnnotations ?? []).map(({ key = '', valueExpression }) => ({
      key,
      expression: compiler.compile(valueExpression ?? '', { result: 'string-or-null', hasAuthorizer: true }),
    }));
  }

  async validate(input: EvaluationInput): Promise<ValidationResult> {
    try {
      if (this.#conditions.length > 0) {
        const { matches, error } = combineConditions(
          await evaluateConditions(this.#compiler, this.#conditions, input),
          this.#ignoresFailure,
        );
        if (error !== undefined) return this.#failure(error);
        if (!matches) return { decisions: [], auditAnnotations: [] };
      }
      const decisions = await this.#decide(input);
      return { decisions, auditAnnotations: await this.#annotate(input) };
    } catch (error) {
      if (error instanceof OutOfBudgetError) return this.#failure(error.message);
      throw error;
    }
  }

  async #decide(input: EvaluationInput): Promise<Decision[]> {
    const budget = new Budget(COST_BUDGET);
    const expressions = this.#validations.map(({ expression }) => expression);
    const outcomes = await this.#compiler.evaluate(input, expressions, budget);
    const messages = await this.#messages(input, budget);
    return this.#validations.map((validation, index) =>
      this.#decision(validation, outcomes[index]!, messages instanceof OutOfBudgetError ? messages : messages[index]),
    );
  }

  async #messages(
    input: EvaluationInput,
    budget: Budget,
  ): Promise<readonly (ExpressionOutcome | undefined)[] | OutOfBudgetError> {
    const expressions = this.#validations.flatMap(({ message }) => message ?? []);
    try {
      const outcomes = (await this.#compiler.evaluate(input, expressions, budget)).values();
      return this.#validations.map(({ message }) => (message ? outcomes.next().value : undefined));
    } catch (error) {
      if (error instanceof OutOfBudgetError) return error;
      throw error;
    }
  }

  #decision(
    { validation }: CompiledValidation,
    outcome: ExpressionOutcome,
    message: ExpressionOutcome | OutOfBudgetError | undefined,
  ): Decision {
    if ('error' in outcome) return this.#failed(outcome.error);
    if (message instanceof OutOfBudgetError) return this.#failed(`failed messageExpression: ${message.message}`);
    if (outcome.value === true) return ADMIT;
    const text =
      computedMessage(message) ||
      (validation.message ?? '').trim() ||
      `failed expression: ${(validation.expression ?? '').trim()}`;
    return { action: 'deny', message: text, reason: validation.reason ?? 'Invalid' };
  }

  async #annotate(input: EvaluationInput): Promise<AnnotationResult[]> {
    const budget = new Budget(COST_BUDGET);
    const expressions = this.#annotations.map(({ expression }) => expression);
    const outcomes = await this.#compiler.evaluate(input, expressions, budget);
    const results: AnnotationResult[] = [];
    for (const [index, { key }] of this.#annotations.entries()) {
      const outcome = outcomes[index]!;
      if ('error' in outcome) {
        if (!this.#ignoresFailure) results.push({ key, error: outcome.error });
      } else if (typeof outcome.value === 'string' && outcome.value.trim() !== '')
        results.push({ key, value: outcome.value.trim() });
    }
    return results;
  }

  #failed(message: string): Decision {
    return this.#ignoresFailure ? ADMIT : { action: 'deny', message, reason: '' };
  }

  #failure(message: string): ValidationResult {
    return { decisions: [this.#failed(message)], auditAnnotations: [] };
  }
}

/** Empty if messageExpression fails or its result is unusable: then `message` is used. */
function computedMessage(outcome: ExpressionOutcome | undefined): string {
  if (!outcome || !('value' in outcome) || typeof outcome.value !== 'string') return '';
  const text = outcome.value.trim();
  return Buffer.byteLength(text) > MAX_MESSAGE_BYTES || text.includes('\n') ? '' : text;
}
