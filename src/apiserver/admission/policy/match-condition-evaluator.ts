/** Evaluates the match conditions of webhooks, compiled once per webhook. */
import type { AdmissionExpression } from '../../../cel/admission/index.ts';
import { combineConditions, type Conditional, type MatchConditionEvaluator } from '../match-conditions.ts';
import { evaluateConditions } from './evaluate-conditions.ts';
import { evaluationInput } from './evaluation-input.ts';
import { type ExpressionServices, PolicyExpressions } from './expressions.ts';

interface Compiled {
  readonly compiler: PolicyExpressions;
  readonly conditions: readonly AdmissionExpression[];
}

export function matchConditionEvaluator(services: ExpressionServices): MatchConditionEvaluator {
  const cache = new WeakMap<Conditional, Compiled>();

  function compiledOf(conditional: Conditional): Compiled {
    let compiled = cache.get(conditional);
    if (!compiled) {
      const compiler = new PolicyExpressions(services, { hasParams: false });
      const conditions = conditional.matchConditions.map(({ expression }) =>
        compiler.compile(expression, { result: 'bool', hasAuthorizer: true }),
      );
      cache.set(conditional, (compiled = { compiler, conditions }));
    }
    return compiled;
  }

  return {
    async evaluate(conditional, attributes, matched) {
      const { compiler, conditions } = compiledOf(conditional);
      const input = await evaluationInput(attributes, matched, undefined, { namespace: false });
      return combineConditions(await evaluateConditions(compiler, conditions, input), conditional.ignoresFailure);
    },
  };
}
