/** Match conditions of webhooks: compiled once for each webhook. */
import type { AdmissionExpression } from '../../../cel/admission/index.ts';
import type { Authorizer } from '../../authz/authorizer.ts';
import { combineConditions, type Conditional, type MatchConditionEvaluator } from '../match-conditions.ts';
import { evaluateConditions } from './evaluate-conditions.ts';
import { evaluationInput } from './evaluation-input.ts';
import { PolicyExpressions } from './expressions.ts';

interface Compiled {
  readonly compiler: PolicyExpressions;
  readonly conditions: readonly AdmissionExpression[];
}

export function matchConditionEvaluator(authorizer: Authorizer): MatchConditionEvaluator {
  const known = new WeakMap<Conditional, Compiled>();

  function compiledOf(conditional: Conditional): Compiled {
    let compiled = known.get(conditional);
    if (!compiled) {
      const compiler = new PolicyExpressions(authorizer, { hasParams: false });
      const conditions = conditional.matchConditions.map(({ expression }) =>
        compiler.compile(expression, { result: 'bool', hasAuthorizer: true }),
      );
      known.set(conditional, (compiled = { compiler, conditions }));
    }
    return compiled;
  }

  return {
    async evaluate(conditional, attributes, view) {
      const { compiler, conditions } = compiledOf(conditional);
      const input = await evaluationInput(attributes, view, undefined, { namespace: false });
      return combineConditions(await evaluateConditions(compiler, conditions, input), conditional.ignoresFailure);
    },
  };
}
