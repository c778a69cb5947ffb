import {
  AdmissionExpressions,
  Evaluation,
  type AdmissionExpression,
  type AdmissionVariables,
  type Budget,
  type ExpressionOptions,
  type Outcome,
} from '../../../cel/admission/index.ts';
/** CEL for policies and match conditions, with the server's authorizer, which may take its time. */
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
  /** Whose request it is: the authorizer is asked about them. */
  readonly attributes: AdmissionAttributes;
}

export interface CompilerOptions {
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

  /** A run of several expressions over one request: they share what variables give. */
  start(input: EvaluationInput): PolicyEvaluation {
    return new PolicyEvaluation(this.#expressions, input, this.#authorizer);
  }
}

export class PolicyEvaluation {
  readonly #evaluation: Evaluation;

  constructor(expressions: AdmissionExpressions, input: EvaluationInput, authorizer: Authorizer) {
    const { attributes } = input;
    const rights = new Rights(authorizer, attributes);
    const { groupResource, subresource, name } = attributes;
    const question = {
      group: groupResource.group,
      resource: groupResource.resource,
      subresource,
      namespace: namespaceOf(attributes),
      name,
    };
    this.#evaluation = new Evaluation(expressions, {
      ...input,
      authorizer: new AuthorizerValue(AUTHORIZER.name, (asked) => rights.answer(asked)),
      requestResource: new AuthorizerValue(RESOURCE_CHECK.name, (asked) => rights.answer(asked), question),
    });
  }

  /** Fails with OutOfBudgetError. An answer that has to be waited for is, and the expression starts over with it. */
  async evaluate(expression: AdmissionExpression, budget: Budget): Promise<Outcome> {
    for (;;) {
      try {
        return this.#evaluation.evaluate(expression, budget);
      } catch (error) {
        if (!(error instanceof PendingAnswer)) throw error;
        await error.arrival;
      }
    }
  }
}

/** Not an error of the expression: nothing in it may catch this. */
class PendingAnswer extends Error {
  constructor(readonly arrival: Promise<void>) {
    super('the authorizer has not answered yet');
  }
}

/** What the authorizer said about a request so far. */
class Rights {
  readonly #answers = new Map<string, AuthorizationDecision>();
  readonly #authorizer: Authorizer;
  readonly #attributes: AdmissionAttributes;

  constructor(authorizer: Authorizer, attributes: AdmissionAttributes) {
    this.#authorizer = authorizer;
    this.#attributes = attributes;
  }

  answer(question: AuthorizationAttributes): AuthorizationDecision {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key);
    if (known) return known;
    const decision = this.#authorizer.authorize(attributesFor(this.#userOf(question), question));
    if (decision instanceof Promise) {
      throw new PendingAnswer(decision.then((settled) => void this.#answers.set(key, answerOf(settled))));
    }
    const answer = answerOf(decision);
    this.#answers.set(key, answer);
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
