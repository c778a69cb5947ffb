/** The compiled mutations of a MutatingAdmissionPolicy. */
import type { MutatingAdmissionPolicy, Mutation } from '../../../api/generated/admissionregistration-v1.ts';
import { Budget, COST_BUDGET, type AdmissionExpression } from '../../../cel/admission/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import { combineConditions, type MatchResult } from '../match-conditions.ts';
import { decodeMutated, type MatchedVersion } from '../versioned-objects.ts';
import { mergeApplyConfiguration } from './apply-configuration.ts';
import { evaluateConditions } from './evaluate-conditions.ts';
import type { CompilerFactory, EvaluationInput, PolicyExpressions } from './expressions.ts';
import { applyPolicyPatch } from './policy-patch.ts';

interface CompiledMutation {
  readonly type: 'ApplyConfiguration' | 'JSONPatch';
  readonly expression: AdmissionExpression;
}

export class PolicyMutator {
  readonly mutations: readonly CompiledMutation[];
  readonly #compiler: PolicyExpressions;
  readonly #conditions: readonly AdmissionExpression[];
  readonly #ignoresFailure: boolean;

  constructor(
    { spec = {} as NonNullable<MutatingAdmissionPolicy['spec']> }: MutatingAdmissionPolicy,
    createCompiler: CompilerFactory,
  ) {
    const compiler = (this.#compiler = createCompiler({
      hasParams: spec.paramKind !== undefined,
      variables: spec.variables ?? [],
    }));
    this.#ignoresFailure = spec.failurePolicy === 'Ignore';
    this.#conditions = (spec.matchConditions ?? []).map(({ expression }) =>
      compiler.compile(expression, { result: 'bool', hasAuthorizer: true }),
    );
    this.mutations = (spec.mutations ?? []).map((mutation) => compileMutation(compiler, mutation));
  }

  async matches(input: EvaluationInput): Promise<MatchResult> {
    if (this.#conditions.length === 0) return { matches: true };
    return combineConditions(await evaluateConditions(this.#compiler, this.#conditions, input), this.#ignoresFailure);
  }

  /** Returns the object after one mutation, and what the expression evaluated to. */
  async mutate(
    { type, expression }: CompiledMutation,
    input: EvaluationInput,
    matched: MatchedVersion,
  ): Promise<{ readonly object: KubeObject; readonly value: unknown }> {
    if (expression.error !== undefined) throw new Error(expression.error);
    const [outcome] = await this.#compiler.evaluate(input, [expression], new Budget(COST_BUDGET));
    if (!outcome || 'error' in outcome) throw new Error(outcome?.error ?? 'no outcome');
    const object = input.object as KubeObject;
    const { value } = outcome;
    if (type === 'ApplyConfiguration') {
      const merged = mergeApplyConfiguration(matched, object, value as Record<string, unknown>);
      return { object: decodeMutated(matched, merged), value };
    }
    const patched = applyPolicyPatch(object, value as Record<string, unknown>[]);
    return { object: patched === object ? object : decodeMutated(matched, patched), value };
  }
}

function compileMutation(
  compiler: PolicyExpressions,
  { patchType, applyConfiguration, jsonPatch }: Mutation,
): CompiledMutation {
  if (patchType === 'JSONPatch')
    return {
      type: 'JSONPatch',
      expression: compiler.compile(jsonPatch?.expression ?? '', { result: 'JSONPatches', hasAuthorizer: true }),
    };
  return {
    type: 'ApplyConfiguration',
    expression: compiler.compile(applyConfiguration?.expression ?? '', { result: 'Object', hasAuthorizer: true }),
  };
}
