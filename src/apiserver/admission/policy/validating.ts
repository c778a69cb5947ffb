/** ValidatingAdmissionPolicy: CEL expressions that must be true; bindings say whether a failure denies, warns or is audited. */
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../../api/generated/admissionregistration-v1.ts';
import { errorMessage } from '../../../base/index.ts';
import type { Context } from '../../../kernel/index.ts';
import type { StatusError } from '../../../machinery/errors/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Registry } from '../../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { newForbidden } from '../new-forbidden.ts';
import { isExemptAdmissionConfigurationResource } from '../request-matching.ts';
import type { MatchedVersion } from '../versioned-objects.ts';
import { AuditAnnotations } from './audit-annotations.ts';
import { evaluationInput } from './evaluation-input.ts';
import type { CompilerFactory } from './expressions.ts';
import { ResourceMatcher } from './match-resources.ts';
import { collectParams, findParamKind } from './params.ts';
import { PolicyMetrics } from './policy-metrics.ts';
import { policySource, type BoundPolicy } from './policy-source.ts';
import { PolicyValidator, type Decision } from './validator.ts';

type PolicyObject = ValidatingAdmissionPolicy & KubeObject;
type BindingObject = ValidatingAdmissionPolicyBinding & KubeObject;

interface CompiledPolicy {
  readonly policy: PolicyObject;
  readonly matcher: ResourceMatcher;
  readonly validator: PolicyValidator;
}

interface CompiledBinding {
  readonly binding: BindingObject;
  readonly matcher: ResourceMatcher;
}

interface Denial {
  readonly binding: string | undefined;
  readonly policy: string;
  readonly message: string;
  readonly reason: string;
}

const REASON_CODES: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({ Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413, Invalid: 422 }),
);
const DEFAULT_REASON = 'Invalid';

export function validatingPolicyPlugin(
  ctx: Pick<Context, 'clock' | 'metrics'>,
  registry: Registry,
  createCompiler: CompilerFactory,
): AdmissionPlugin {
  const metrics = new PolicyMetrics(ctx, 'validating');
  const policies = policySource<CompiledPolicy, CompiledBinding>(registry, {
    policies: 'validatingadmissionpolicies',
    bindings: 'validatingadmissionpolicybindings',
    compile: (object) => {
      const policy = object as PolicyObject;
      return {
        policy,
        matcher: new ResourceMatcher(policy.spec?.matchConstraints ?? {}),
        validator: new PolicyValidator(policy, createCompiler),
      };
    },
    bind: (object) => {
      const binding = object as BindingObject;
      return { binding, matcher: new ResourceMatcher(binding.spec?.matchResources ?? {}) };
    },
  });

  return {
    name: 'ValidatingAdmissionPolicy',
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    matches: (attributes) => policies().length > 0 && !isExemptAdmissionConfigurationResource(attributes),
    async validate(attributes) {
      const denials: Denial[] = [];
      for (const bound of policies()) await new PolicyDispatch(attributes, bound, { denials, metrics }).run();
      if (denials[0]) throw denialError(attributes, denials[0]);
    },
  };
}

/** Runs one policy for one request. */
class PolicyDispatch {
  readonly #audit: AuditAnnotations;
  readonly #attributes: AdmissionAttributes;
  readonly #bound: BoundPolicy<CompiledPolicy, CompiledBinding>;
  readonly #outcome: { readonly denials: Denial[]; readonly metrics: PolicyMetrics };

  constructor(
    attributes: AdmissionAttributes,
    bound: BoundPolicy<CompiledPolicy, CompiledBinding>,
    outcome: { readonly denials: Denial[]; readonly metrics: PolicyMetrics },
  ) {
    this.#attributes = attributes;
    this.#bound = bound;
    this.#outcome = outcome;
    this.#audit = new AuditAnnotations(bound.name);
  }

  async run(): Promise<void> {
    const attributes = this.#attributes;
    const { matcher, policy } = this.#bound.compiled;
    const matched = await this.#orConfigurationError(undefined, () => matcher.match(attributes));
    if (!matched) return;
    const paramKind = policy.spec?.paramKind;
    const params =
      paramKind && (await this.#orConfigurationError(undefined, () => findParamKind(attributes.registry, paramKind)));
    if (paramKind && !params) return;
    for (const { binding, matcher: bindingMatcher } of this.#bound.bindings) {
      const name = binding.metadata.name ?? '';
      if (!(await this.#orConfigurationError(name, () => bindingMatcher.match(attributes)))) continue;
      const objects = await this.#orConfigurationError(name, () =>
        collectParams(params, binding.spec?.paramRef, attributes.namespace),
      );
      for (const object of objects ?? []) await this.#validate(matched, binding, object);
    }
    this.#audit.publish(attributes);
  }

  async #validate(matched: MatchedVersion, binding: BindingObject, params: KubeObject | undefined): Promise<void> {
    const { validator } = this.#bound.compiled;
    const { metrics } = this.#outcome;
    const startedAt = metrics.now();
    const { decisions, auditAnnotations } = await validator.validate(
      await evaluationInput(this.#attributes, matched, params),
    );
    this.#record(binding, decisions, metrics.now() - startedAt);
    const labels = { policy: this.#bound.name, binding: binding.metadata.name ?? '' };
    if (decisions.every(({ action }) => action === 'admit'))
      metrics.checked({ ...labels, action: 'allow', error: 'no_error' }, startedAt);
    decisions.forEach((decision, index) => this.#act(binding, decision, index, startedAt));
    for (const { key, value, error } of auditAnnotations) {
      if (error !== undefined) this.#deny(binding.metadata.name, error, '');
      else if (value !== undefined) this.#audit.add(key, value);
    }
  }

  #record({ metadata, spec }: BindingObject, decisions: readonly Decision[], milliseconds: number): void {
    const failed = decisions.flatMap((decision) => (decision.action === 'admit' ? [] : [decision.message]));
    const denies = spec?.validationActions?.includes('Deny') ?? false;
    this.#attributes.record?.called({
      plugin: 'ValidatingAdmissionPolicy',
      name: this.#bound.name,
      configuration: metadata.name ?? '',
      milliseconds,
      outcome: failed.length === 0 ? 'allowed' : denies ? 'denied' : 'ignored',
      ...(failed.length === 0 ? {} : { message: failed.join('; ') }),
    });
  }

  #act(binding: BindingObject, decision: Decision, index: number, startedAt: number): void {
    if (decision.action === 'admit') return;
    const attributes = this.#attributes;
    const bound = this.#bound;
    const name = binding.metadata.name ?? '';
    for (const action of binding.spec?.validationActions ?? []) {
      this.#outcome.metrics.checked(
        { policy: bound.name, binding: name, action: action.toLowerCase(), error: 'no_error' },
        startedAt,
      );
      if (action === 'Deny') this.#deny(name, decision.message, decision.reason);
      if (action === 'Warn')
        attributes.warn(
          `Validation failed for ValidatingAdmissionPolicy '${bound.name}' with binding '${name}': ${decision.message}`,
        );
      if (action === 'Audit') {
        const failure = {
          message: decision.message,
          policy: bound.name,
          binding: name,
          expressionIndex: index,
          validationActions: binding.spec?.validationActions,
        };
        attributes.annotate('validation.policy.admission.k8s.io/validation_failure', JSON.stringify([failure]));
      }
    }
  }

  #deny(binding: string | undefined, message: string, reason: string): void {
    this.#outcome.denials.push({ policy: this.#bound.name, binding, message, reason: reason || DEFAULT_REASON });
  }

  /** failurePolicy decides about errors in the policy or the binding itself. */
  async #orConfigurationError<T>(binding: string | undefined, step: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      const ignores = this.#bound.compiled.policy.spec?.failurePolicy === 'Ignore';
      const message = errorMessage(error);
      if (!ignores)
        this.#deny(binding, `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${message}`, '');
      return undefined;
    }
  }
}

function denialError(attributes: AdmissionAttributes, { policy, binding, message, reason }: Denial): StatusError {
  const by =
    binding === undefined
      ? `ValidatingAdmissionPolicy '${policy}'`
      : `ValidatingAdmissionPolicy '${policy}' with binding '${binding}'`;
  const text = `${by} denied request: ${message}`;
  const error = newForbidden(attributes, text);
  error.status.reason = reason;
  error.status.code = REASON_CODES.get(reason) ?? 422;
  error.status.details = { ...error.status.details, causes: [{ message: text }] };
  return error;
}
