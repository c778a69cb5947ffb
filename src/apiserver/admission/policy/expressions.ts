/** CEL for policies and match conditions, with the `authorizer` variable, whose decisions may be asynchronous. */
import {
  AdmissionExpressions,
  Evaluation,
  type AdmissionExpression,
  type AdmissionVariables,
  type Budget,
  type ExpressionOptions,
  type Outcome,
} from '../../../cel/admission/index.ts';
import {
  type AuthorizationDecision,
  type AuthorizationAttributes,
  AUTHORIZER,
  AuthorizerValue,
  RESOURCE_CHECK,
} from '../../../cel/index.ts';
import type { Authorizer, Decision } from '../../authz/authorizer.ts';
import { fieldRequirements, labelRequirements } from '../../authz/selectors.ts';
import type { UserInfo } from '../../request/request.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { namespaceOf } from '../request-matching.ts';

export interface EvaluationInput extends AdmissionVariables {
  /** The request: `authorizer` decides about its user. */
  readonly attributes: AdmissionAttributes;
}

interface CompilerOptions {
  readonly hasParams: boolean;
  readonly variables?: readonly { readonly name?: string; readonly expression?: string }[];
}

export type CompilerFactory = (options: CompilerOptions) => PolicyExpressions;

export class PolicyExpressions {
  readonly #expressions: AdmissionExpressions;
  readonly #authorizer: Authorizer;

  constructor(authorizer: Authorizer, options: CompilerOptions) {
    this.#authorizer = authorizer;
    this.#expressions = new AdmissionExpressions(options);
  }

  compile(source: string, options: ExpressionOptions): AdmissionExpression {
    return this.#expressions.compile(source, options);
  }

  /** Starts an evaluation of several expressions for one request, which share the values of variables. */
  start(input: EvaluationInput): PolicyEvaluation {
    return new PolicyEvaluation(this.#expressions, input, this.#authorizer);
  }
}

class PolicyEvaluation {
  readonly #evaluation: Evaluation;

  constructor(expressions: AdmissionExpressions, input: EvaluationInput, authorizer: Authorizer) {
    const { attributes } = input;
    const caching = new CachingAuthorizer(authorizer, attributes);
    const { groupResource, subresource, name } = attributes;
    const request = {
      group: groupResource.group,
      resource: groupResource.resource,
      subresource,
      namespace: namespaceOf(attributes),
      name,
    };
    this.#evaluation = new Evaluation(expressions, {
      ...input,
      authorizer: new AuthorizerValue(AUTHORIZER.name, (query) => caching.authorize(query)),
      requestResource: new AuthorizerValue(RESOURCE_CHECK.name, (query) => caching.authorize(query), request),
    });
  }

  /** Throws OutOfBudgetError. If a decision of the authorizer is pending, waits for it and evaluates the expression again. */
  async evaluate(expression: AdmissionExpression, budget: Budget): Promise<Outcome> {
    for (;;) {
      try {
        return this.#evaluation.evaluate(expression, budget);
      } catch (error) {
        if (!(error instanceof PendingDecision)) throw error;
        await error.settled;
      }
    }
  }
}

/** Interrupts an evaluation. It is not a CEL error, so no operator of the expression can absorb it. */
class PendingDecision extends Error {
  constructor(readonly settled: Promise<void>) {
    super('the decision of the authorizer is pending');
  }
}

/** Remembers the decisions of the authorizer for one request. */
class CachingAuthorizer {
  readonly #decisions = new Map<string, AuthorizationDecision>();
  readonly #authorizer: Authorizer;
  readonly #attributes: AdmissionAttributes;

  constructor(authorizer: Authorizer, attributes: AdmissionAttributes) {
    this.#authorizer = authorizer;
    this.#attributes = attributes;
  }

  authorize(question: AuthorizationAttributes): AuthorizationDecision {
    const key = JSON.stringify(question);
    const cached = this.#decisions.get(key);
    if (cached) return cached;
    const decision = this.#authorizer.authorize(attributesFor(this.#userOf(question), question));
    if (decision instanceof Promise) {
      throw new PendingDecision(decision.then((settled) => void this.#decisions.set(key, answerOf(settled))));
    }
    const answer = answerOf(decision);
    this.#decisions.set(key, answer);
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
