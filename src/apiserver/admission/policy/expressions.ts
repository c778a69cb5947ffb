/**
 * CEL for policies and match conditions, with the `authorizer` variable, whose decisions may be asynchronous. A turn of the
 * main thread evaluates no more than its allowance: costly expressions run in the thread of stages.
 */
import { stringifySteps } from '../../../base/index.ts';
import {
  AdmissionExpressions,
  type AdmissionExpression,
  type AdmissionVariables,
  type Budget,
  type ExpressionOptions,
  OutOfBudgetError,
} from '../../../cel/admission/index.ts';
import {
  Allowance,
  AllowanceExceededError,
  type AuthorizationAttributes,
  type AuthorizationDecision,
} from '../../../cel/index.ts';
import type { Clock } from '../../../kernel/index.ts';
import type { Authorizer, Decision } from '../../authz/authorizer.ts';
import { fieldRequirements, labelRequirements } from '../../authz/selectors.ts';
import { inSlices } from '../../request/in-slices.ts';
import type { UserInfo } from '../../request/request.ts';
import {
  ExpressionEvaluation,
  type ExpressionOutcome,
  UndecidedError,
} from '../../stage-thread/evaluate-expressions.ts';
import { MAIN_THREAD_COST, type StageRunner } from '../../stage-thread/stage-runner.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { namespaceOf } from '../request-matching.ts';

export interface EvaluationInput extends Omit<AdmissionVariables, 'authorizer' | 'requestResource'> {
  /** The request: `authorizer` decides about its user. */
  readonly attributes: AdmissionAttributes;
}

interface CompilerOptions {
  readonly hasParams: boolean;
  readonly variables?: readonly { readonly name?: string; readonly expression?: string }[];
}

/** What evaluations need of the server. */
export interface ExpressionServices {
  readonly authorizer: Authorizer;
  readonly stages: Pick<StageRunner, 'run' | 'runs'>;
  readonly clock: Pick<Clock, 'yield'>;
}

export type CompilerFactory = (options: CompilerOptions) => PolicyExpressions;

export class PolicyExpressions {
  readonly #expressions: AdmissionExpressions;
  readonly #services: ExpressionServices;

  constructor(services: ExpressionServices, options: CompilerOptions) {
    this.#services = services;
    this.#expressions = new AdmissionExpressions(options);
  }

  compile(source: string, options: ExpressionOptions): AdmissionExpression {
    return this.#expressions.compile(source, options);
  }

  /** Evaluates expressions for one request, which share the values of variables. Throws OutOfBudgetError. */
  async evaluate(
    input: EvaluationInput,
    expressions: readonly AdmissionExpression[],
    budget: Budget,
  ): Promise<readonly ExpressionOutcome[]> {
    if (expressions.length === 0) return [];
    const { authorizer, stages, clock } = this.#services;
    const decisions = new CachingAuthorizer(authorizer, input.attributes);
    const allowance = await allowanceOf(input.attributes, clock);
    const { remaining } = budget;
    try {
      return await this.#evaluateHere(input, expressions, { budget, decisions, ...(stages.runs ? { allowance } : {}) });
    } catch (error) {
      if (!(error instanceof AllowanceExceededError)) throw error;
    }
    budget.remaining = remaining;
    return (
      (await this.#evaluateInThread(input, expressions, budget, decisions)) ??
      this.#evaluateHere(input, expressions, { budget, decisions })
    );
  }

  async #evaluateHere(
    { attributes, ...variables }: EvaluationInput,
    expressions: readonly AdmissionExpression[],
    {
      budget,
      decisions,
      allowance,
    }: { readonly budget: Budget; readonly decisions: CachingAuthorizer; readonly allowance?: Allowance },
  ): Promise<ExpressionOutcome[]> {
    const authorize = (question: AuthorizationAttributes): AuthorizationDecision => decisions.authorize(question);
    const input = { variables, requestResource: requestResourceOf(attributes), authorize };
    const evaluation = new ExpressionEvaluation(this.#expressions, input, allowance);
    const outcomes: ExpressionOutcome[] = [];
    while (outcomes.length < expressions.length) {
      try {
        outcomes.push(evaluation.evaluate(expressions[outcomes.length]!, budget));
      } catch (error) {
        if (!(error instanceof UndecidedError)) throw error;
        await decisions.decide(error.question);
      }
    }
    return outcomes;
  }

  /** undefined where the thread cannot. */
  async #evaluateInThread(
    { attributes, ...variables }: EvaluationInput,
    expressions: readonly AdmissionExpression[],
    budget: Budget,
    decisions: CachingAuthorizer,
  ): Promise<readonly ExpressionOutcome[] | undefined> {
    const { stages, clock } = this.#services;
    const { hasParams, variables: declared } = this.#expressions.declarations;
    const input = {
      declarations: { hasParams, ...(declared ? { variables: declared } : {}) },
      expressions: expressions.map(({ source, options }) => ({ source, options })),
      variables: await inSlices(clock, stringifySteps(variables)),
      requestResource: requestResourceOf(attributes),
      budget: budget.remaining,
    };
    for (;;) {
      const output = await stages.run('evaluate', { ...input, decisions: decisions.known });
      if (!output) return undefined;
      if ('outOfBudget' in output) throw new OutOfBudgetError();
      if ('undecided' in output) {
        await decisions.decide(output.undecided);
        continue;
      }
      budget.remaining = output.budget;
      return output.outcomes;
    }
  }
}

const requestResourceOf = (attributes: AdmissionAttributes): Omit<AuthorizationAttributes, 'verb'> => ({
  group: attributes.groupResource.group,
  resource: attributes.groupResource.resource,
  subresource: attributes.subresource,
  namespace: namespaceOf(attributes),
  name: attributes.name,
});

/** What is left for a request in its turn of the main thread. */
const allowances = new WeakMap<AdmissionAttributes, Allowance>();

/** A request that has spent half of its turn lets the others run, and begins a new one. */
async function allowanceOf(attributes: AdmissionAttributes, clock: Pick<Clock, 'yield'>): Promise<Allowance> {
  const current = allowances.get(attributes);
  if (current && current.remaining > MAIN_THREAD_COST / 2) return current;
  if (current) await clock.yield();
  const fresh = new Allowance(MAIN_THREAD_COST);
  allowances.set(attributes, fresh);
  return fresh;
}

/** Remembers the decisions of the authorizer for one request. */
class CachingAuthorizer {
  /** By the JSON of the question. */
  readonly known = new Map<string, AuthorizationDecision>();
  readonly #pending = new Map<string, Promise<Decision>>();
  readonly #authorizer: Authorizer;
  readonly #attributes: AdmissionAttributes;

  constructor(authorizer: Authorizer, attributes: AdmissionAttributes) {
    this.#authorizer = authorizer;
    this.#attributes = attributes;
  }

  /** Throws UndecidedError where the authorizer takes its time. */
  authorize(question: AuthorizationAttributes): AuthorizationDecision {
    const key = JSON.stringify(question);
    const known = this.known.get(key);
    if (known) return known;
    const decision = this.#authorizer.authorize(attributesFor(this.#userOf(question), question));
    if (decision instanceof Promise) {
      this.#pending.set(key, decision);
      throw new UndecidedError(question);
    }
    return this.#learn(key, decision);
  }

  /** Afterwards the decision is known. */
  async decide(question: AuthorizationAttributes): Promise<void> {
    const key = JSON.stringify(question);
    const pending = this.#pending.get(key);
    this.#learn(key, await (pending ?? this.#authorizer.authorize(attributesFor(this.#userOf(question), question))));
    this.#pending.delete(key);
  }

  #learn(key: string, decision: Decision): AuthorizationDecision {
    const answer = answerOf(decision);
    this.known.set(key, answer);
    return answer;
  }

  #userOf({ serviceAccount }: AuthorizationAttributes): UserInfo {
    if (!serviceAccount) return this.#attributes.user;
    const { namespace, name } = serviceAccount;
    return {
      name: `system:serviceaccount:${namespace}:${name}`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    };
  }
}

const answerOf = ({ decision, reason, error }: Decision): AuthorizationDecision => ({
  allowed: decision === 'allow',
  reason,
  ...(error === undefined ? {} : { error }),
});

function attributesFor(user: UserInfo, question: AuthorizationAttributes): Parameters<Authorizer['authorize']>[0] {
  const {
    verb,
    path,
    group = '',
    resource = '',
    subresource = '',
    namespace = '',
    name = '',
    fieldSelector = '',
    labelSelector = '',
  } = question;
  const fields = fieldRequirements(fieldSelector);
  const labels = labelRequirements(labelSelector);
  return {
    user,
    verb,
    isResourceRequest: path === undefined,
    apiGroup: group,
    apiVersion: path === undefined ? '*' : '',
    namespace,
    resource,
    subresource,
    name,
    path: path ?? '',
    ...(fields ? { fieldSelector: fields } : {}),
    ...(labels ? { labelSelector: labels } : {}),
  };
}
