/** MutatingAdmissionPolicy: CEL expressions that change an object, as an apply configuration or as a JSON patch. */
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from '../../../api/generated/admissionregistration-v1.ts';
import { errorMessage, append, deepEqual } from '../../../base/index.ts';
import type { Context } from '../../../kernel/index.ts';
import { isStatusError, type StatusError } from '../../../machinery/errors/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Registry } from '../../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { newForbidden } from '../new-forbidden.ts';
import { ReinvocationTracker } from '../reinvocation.ts';
import { isExemptAdmissionConfigurationResource } from '../request-matching.ts';
import { fromMatchedVersion, replaceContents, type MatchedVersion } from '../versioned-objects.ts';
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

/** A policy that applies to a request with one of its bindings and one of its params. */
interface Invocation {
  readonly bound: BoundPolicy<CompiledPolicy, CompiledBinding>;
  readonly binding: string;
  readonly matched: MatchedVersion;
  readonly params: KubeObject | undefined;
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
    matches: (attributes) => policies().length > 0 && !isExemptAdmissionConfigurationResource(attributes),
    async admit(attributes) {
      const errors: PolicyError[] = [];
      const invocations: Invocation[] = [];
      for (const bound of policies()) append(invocations, await invocationsOf(attributes, bound, errors));
      if (invocations.length > 0) {
        await invoke(attributes, invocations, {
          tracker: attributes.reinvocation.value(plugin, () => new ReinvocationTracker()),
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
  const orConfigurationError = async <T>(
    binding: string | undefined,
    step: () => T | Promise<T>,
  ): Promise<T | undefined> => {
    try {
      return await step();
    } catch (error) {
      addError(errors, bound, {
        binding,
        message: `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${errorMessage(error)}`,
        reason: '',
      });
      return undefined;
    }
  };
  const matched = await orConfigurationError(undefined, () => matcher.match(attributes));
  if (!matched) return [];
  const paramKind = policy.spec?.paramKind;
  const params =
    paramKind && (await orConfigurationError(undefined, () => findParamKind(attributes.registry, paramKind)));
  if (paramKind && !params) return [];
  const invocations: Invocation[] = [];
  for (const { binding, matcher: bindingMatcher } of bound.bindings) {
    const name = binding.metadata.name ?? '';
    if (!(await orConfigurationError(name, () => bindingMatcher.match(attributes)))) continue;
    const objects = await orConfigurationError(name, () =>
      collectParams(params, binding.spec?.paramRef, attributes.namespace),
    );
    for (const object of objects ?? []) invocations.push({ bound, binding: name, matched, params: object });
  }
  return invocations;
}

interface InvocationContext {
  readonly metrics: PolicyMetrics;
  readonly tracker: ReinvocationTracker;
  readonly errors: PolicyError[];
}

async function invoke(
  attributes: AdmissionAttributes,
  invocations: readonly Invocation[],
  { tracker, errors, metrics }: InvocationContext,
): Promise<void> {
  const { reinvocation, object } = attributes;
  tracker.startRun(reinvocation, object);
  for (const { bound, binding, matched, params } of invocations) {
    const { mutator, policy } = bound.compiled;
    const startedAt = metrics.now();
    let failed = false;
    let failure: string | undefined;
    const applied: unknown[] = [];
    const fail = (error: unknown): void => {
      failed = true;
      failure = errorMessage(error);
      addError(errors, bound, { binding, message: errorMessage(error), reason: 'Invalid' });
    };
    const input = await evaluationInput(attributes, matched, params);
    const { matches, error } = await mutator.matches(input);
    if (error !== undefined) fail(error);
    if (!matches) continue;
    const key = [bound.name, binding, params?.metadata.namespace, params?.metadata.name].join('/');
    if (tracker.shouldSkip(reinvocation, key)) continue;
    const changed = object ? await mutate(attributes, matched, { mutator, params, applied, fail }) : false;
    attributes.record?.called({
      plugin: 'MutatingAdmissionPolicy',
      name: bound.name,
      configuration: binding,
      milliseconds: metrics.now() - startedAt,
      outcome: failed
        ? policy.spec?.failurePolicy === 'Ignore'
          ? 'ignored'
          : 'denied'
        : changed
          ? 'changed'
          : 'allowed',
      ...(failure === undefined ? {} : { message: failure }),
      ...(changed ? { patch: patchText(applied) } : {}),
    });
    metrics.checked(
      { policy: bound.name, binding, action: failed ? 'deny' : 'allow', error: failed ? 'invalid_error' : 'no_error' },
      startedAt,
    );
    const reinvocable = policy.spec?.reinvocationPolicy === 'IfNeeded';
    tracker.invoked(reinvocation, key, { changed, reinvocable });
  }
  tracker.endRun(object);
}

interface Mutating {
  readonly mutator: PolicyMutator;
  readonly params: KubeObject | undefined;
  /** Takes what each mutation evaluated to. */
  readonly applied: unknown[];
  fail(error: unknown): void;
}

/** Applies the mutations of a policy in order. Returns whether they changed the object. */
async function mutate(
  attributes: AdmissionAttributes,
  matched: MatchedVersion,
  { mutator, params, applied, fail }: Mutating,
): Promise<boolean> {
  let changed = false;
  for (const mutation of mutator.mutations) {
    try {
      const input = await evaluationInput(attributes, matched, params);
      const before = input.object as KubeObject;
      const { object: after, value } = await mutator.mutate(mutation, input, matched);
      if (deepEqual(before, after)) continue;
      replaceContents(attributes.object!, await fromMatchedVersion(attributes, matched, after));
      applied.push(value);
      changed = true;
    } catch (error) {
      if (isStatusError(error)) throw error;
      fail(error);
    }
  }
  return changed;
}

/** CEL's integers are bigints. */
const patchText = (applied: readonly unknown[]): string =>
  JSON.stringify(applied.length === 1 ? applied[0] : applied, (_key, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value,
  );

function addError(
  errors: PolicyError[],
  { name, compiled }: BoundPolicy<CompiledPolicy, CompiledBinding>,
  error: Omit<PolicyError, 'policy'>,
): void {
  if (compiled.policy.spec?.failurePolicy !== 'Ignore') errors.push({ policy: name, ...error });
}

/** The first error gives message and reason; every error is a cause. */
function policyErrors(attributes: AdmissionAttributes, errors: readonly PolicyError[]): StatusError {
  const texts = errors.map(({ policy, binding, message }) =>
    binding === undefined
      ? `policy "${policy}" denied request: ${message}`
      : `policy '${policy}' with binding '${binding}' denied request: ${message}`,
  );
  const refusal = newForbidden(attributes, 'admission request denied by policy');
  refusal.status.message = texts[0]!;
  refusal.status.reason = errors[0]!.reason || 'Forbidden';
  refusal.status.details = { ...refusal.status.details, causes: texts.map((message) => ({ message })) };
  return refusal;
}
