import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from '../../../api/generated/admissionregistration-v1.ts';
/** MutatingAdmissionPolicy: expressions that change objects, by merging a configuration into them or by a JSON patch. */
import { append, cloneJson, deepEqual } from '../../../base/index.ts';
import type { Context } from '../../../kernel/index.ts';
import { isStatusError, type StatusError } from '../../../machinery/errors/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Registry } from '../../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { refuse } from '../refuse.ts';
import { isExempt } from '../request-matching.ts';
import { fromView, replaceContents, type View } from '../versioned-objects.ts';
import { evaluationInput } from './evaluation-input.ts';
import type { CompilerFactory } from './expressions.ts';
import { ResourceMatcher } from './match-resources.ts';
import { PolicyMutator } from './mutator.ts';
import { collectParams, findParamKind } from './params.ts';
import { PolicyMetrics } from './policy-metrics.ts';
import { policySource, type BoundPolicy } from './policy-source.ts';

type PolicyObject = MutatingAdmissionPolicy & KubeObject;
type BindingObject = MutatingAdmissionPolicyBinding & KubeObject;

interface CompiledPolicy {
  readonly policy: PolicyObject;
  readonly matcher: ResourceMatcher;
  readonly mutator: PolicyMutator;
}

interface CompiledBinding {
  readonly binding: BindingObject;
  readonly matcher: ResourceMatcher;
}

interface PolicyError {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason: string;
}

/** A policy with one of its bindings and one of its parameters, as it applies to a request. */
interface Invocation {
  readonly bound: BoundPolicy<CompiledPolicy, CompiledBinding>;
  readonly binding: string;
  readonly view: View;
  readonly params: KubeObject | undefined;
}

/** Which invocations run again when the chain does. */
class Again {
  readonly called = new Set<string>();
  readonly due = new Set<string>();
  lastOutput: KubeObject | undefined;

  changed(): void {
    for (const key of this.called) this.due.add(key);
    this.called.clear();
  }
}

export function mutatingPolicyPlugin(
  ctx: Pick<Context, 'clock' | 'metrics'>,
  registry: Registry,
  createCompiler: CompilerFactory,
): AdmissionPlugin {
  const metrics = new PolicyMetrics(ctx, 'mutating');
  const policies = policySource<CompiledPolicy, CompiledBinding>(registry, {
    policies: 'mutatingadmissionpolicies',
    bindings: 'mutatingadmissionpolicybindings',
    compile: (object) => {
      const policy = object as PolicyObject;
      return {
        policy,
        matcher: new ResourceMatcher(policy.spec?.matchConstraints ?? {}),
        mutator: new PolicyMutator(policy, createCompiler),
      };
    },
    bind: (object) => {
      const binding = object as BindingObject;
      return { binding, matcher: new ResourceMatcher(binding.spec?.matchResources ?? {}) };
    },
  });

  const plugin: AdmissionPlugin = {
    name: 'MutatingAdmissionPolicy',
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    matches: (attributes) => policies().length > 0 && !isExempt(attributes),
    async admit(attributes) {
      const errors: PolicyError[] = [];
      const invocations: Invocation[] = [];
      for (const bound of policies()) append(invocations, await invocationsOf(attributes, bound, errors));
      if (invocations.length > 0) {
        await invoke(attributes, invocations, {
          again: attributes.reinvocation.kept(plugin, () => new Again()),
          errors,
          metrics,
        });
      }
      if (errors.length > 0) throw policyErrors(attributes, errors);
    },
  };
  return plugin;
}

async function invocationsOf(
  attributes: AdmissionAttributes,
  bound: BoundPolicy<CompiledPolicy, CompiledBinding>,
  errors: PolicyError[],
): Promise<Invocation[]> {
  const { policy, matcher } = bound.compiled;
  const configured = async <T>(binding: string | undefined, step: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await step();
    } catch (error) {
      addError(errors, bound, {
        binding,
        message: `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${messageOf(error)}`,
        reason: '',
      });
      return undefined;
    }
  };
  const view = await configured(undefined, () => matcher.match(attributes));
  if (!view) return [];
  const paramKind = policy.spec?.paramKind;
  const params = paramKind && (await configured(undefined, () => findParamKind(attributes.registry, paramKind)));
  if (paramKind && !params) return [];
  const invocations: Invocation[] = [];
  for (const { binding, matcher: bindingMatcher } of bound.bindings) {
    const name = binding.metadata.name ?? '';
    if (!(await configured(name, () => bindingMatcher.match(attributes)))) continue;
    const objects = await configured(name, () => collectParams(params, binding.spec?.paramRef, attributes.namespace));
    for (const object of objects ?? []) invocations.push({ bound, binding: name, view, params: object });
  }
  return invocations;
}

interface Progress {
  readonly metrics: PolicyMetrics;
  readonly again: Again;
  readonly errors: PolicyError[];
}

async function invoke(
  attributes: AdmissionAttributes,
  invocations: readonly Invocation[],
  { again, errors, metrics }: Progress,
): Promise<void> {
  const { reinvocation, object } = attributes;
  if (reinvocation.isReinvoke && !deepEqual(again.lastOutput, object)) again.changed();
  for (const { bound, binding, view, params } of invocations) {
    const { mutator, policy } = bound.compiled;
    const startedAt = metrics.now();
    let failed = false;
    const fail = (error: unknown): void => {
      failed = true;
      addError(errors, bound, { binding, message: messageOf(error), reason: 'Invalid' });
    };
    const input = await evaluationInput(attributes, view, params);
    const { matches, error } = await mutator.matches(input);
    if (error !== undefined) fail(error);
    if (!matches) continue;
    const key = [bound.name, binding, params?.metadata.namespace, params?.metadata.name].join('/');
    if (reinvocation.isReinvoke && !again.due.has(key)) continue;
    const changed = object ? await mutate(attributes, view, { mutator, params, fail }) : false;
    metrics.checked(
      { policy: bound.name, binding, action: failed ? 'deny' : 'allow', error: failed ? 'invalid_error' : 'no_error' },
      startedAt,
    );
    if (changed) {
      again.changed();
      reinvocation.wanted = true;
    }
    if (policy.spec?.reinvocationPolicy === 'IfNeeded') again.called.add(key);
  }
  again.lastOutput = object && cloneJson(object);
}

interface Mutating {
  readonly mutator: PolicyMutator;
  readonly params: KubeObject | undefined;
  fail(error: unknown): void;
}

/** The policy's mutations, one after the other; whether the object is another after them. */
async function mutate(
  attributes: AdmissionAttributes,
  view: View,
  { mutator, params, fail }: Mutating,
): Promise<boolean> {
  let changed = false;
  for (const mutation of mutator.mutations) {
    try {
      const input = await evaluationInput(attributes, view, params);
      const before = input.object as KubeObject;
      const after = await mutator.mutate(mutation, input, view);
      if (deepEqual(before, after)) continue;
      replaceContents(attributes.object!, await fromView(attributes, view, after));
      changed = true;
    } catch (error) {
      if (isStatusError(error)) throw error;
      fail(error);
    }
  }
  return changed;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function addError(
  errors: PolicyError[],
  { name, compiled }: BoundPolicy<CompiledPolicy, CompiledBinding>,
  error: Omit<PolicyError, 'policy'>,
): void {
  if (compiled.policy.spec?.failurePolicy !== 'Ignore') errors.push({ policy: name, ...error });
}

/** The first error gives the message and the reason, all of them are causes. */
function policyErrors(attributes: AdmissionAttributes, errors: readonly PolicyError[]): StatusError {
  const texts = errors.map(({ policy, binding, message }) =>
    binding === undefined
      ? `policy "${policy}" denied request: ${message}`
      : `policy '${policy}' with binding '${binding}' denied request: ${message}`,
  );
  const refusal = refuse(attributes, 'admission request denied by policy');
  refusal.status.message = texts[0]!;
  refusal.status.reason = errors[0]!.reason || 'Forbidden';
  refusal.status.details = { ...refusal.status.details, causes: texts.map((message) => ({ message })) };
  return refusal;
}
