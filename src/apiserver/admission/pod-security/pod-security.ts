/** PodSecurity: enforces the Pod Security level of a namespace on its pods, and warns about workloads that violate it. */
import type { PodSpec, PodTemplateSpec } from '../../../api/generated/core-v1.ts';
import type { ObjectMeta } from '../../../api/generated/meta-v1.ts';
import type { Context } from '../../../kernel/index.ts';
import { internalError, invalid } from '../../../machinery/errors/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Registry } from '../../registry/registry.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { newForbidden } from '../new-forbidden.ts';
import { isForResource, oldPodOf, podOf, specOf } from '../request-objects.ts';
import { rulesFrom, type PodSecurityConfiguration } from './configuration.ts';
import { evaluatePod, violationsText } from './evaluate.ts';
import { warningsOfNamespace } from './namespace-warnings.ts';
import { PodSecurityMetrics } from './pod-security-metrics.ts';
import { compareLevels, LABEL_PREFIX, parsePolicy, policyText, samePolicy, type ParsedPolicy } from './policy.ts';
import { isSignificantUpdate } from './significant-update.ts';

const WORKLOADS = new Set([
  '/replicationcontrollers',
  '/podtemplates',
  'apps/replicasets',
  'apps/deployments',
  'apps/statefulsets',
  'apps/daemonsets',
  'batch/jobs',
  'batch/cronjobs',
]);

/** Pod subresources that do not change the containers. */
const IGNORED_SUBRESOURCES = new Set([
  'exec',
  'attach',
  'binding',
  'eviction',
  'log',
  'portforward',
  'proxy',
  'status',
]);

const isWorkload = ({ served, subresource }: AdmissionAttributes): boolean =>
  subresource === '' && WORKLOADS.has(`${served.group}/${served.plural}`);

export function podSecurityPlugin(
  { metrics }: Pick<Context, 'metrics'>,
  registry: Registry,
  configuration: PodSecurityConfiguration = {},
): AdmissionPlugin {
  const admission = new PodSecurityAdmission(new PodSecurityMetrics(metrics), registry, configuration);
  return {
    name: 'PodSecurity',
    operations: ['CREATE', 'UPDATE'],
    matches: (attributes) =>
      isForResource(attributes, '', 'pods')
        ? !IGNORED_SUBRESOURCES.has(attributes.subresource)
        : isWorkload(attributes) || (isForResource(attributes, '', 'namespaces') && attributes.subresource === ''),
    validate(attributes) {
      if (isForResource(attributes, '', 'pods')) admission.validatePod(attributes);
      else if (isForResource(attributes, '', 'namespaces')) admission.validateNamespace(attributes);
      else admission.validateWorkload(attributes);
    },
  };
}

class PodSecurityAdmission {
  readonly #rules;
  readonly #namespaces: ServedResource;
  readonly #pods: ServedResource;
  /** By the cache entry of the namespace: a change of the namespace creates another entry. */
  readonly #policies = new WeakMap<object, ParsedPolicy>();

  readonly #metrics: PodSecurityMetrics;

  constructor(metrics: PodSecurityMetrics, registry: Registry, configuration: PodSecurityConfiguration) {
    this.#metrics = metrics;
    this.#rules = rulesFrom(configuration);
    this.#namespaces = registry.require('', 'v1', 'namespaces');
    this.#pods = registry.require('', 'v1', 'pods');
  }

  #policyOf({ namespace }: AdmissionAttributes): ParsedPolicy | undefined {
    const found = this.#namespaces.cache.get('', namespace);
    if (!found) return undefined;
    let parsed = this.#policies.get(found);
    if (!parsed) this.#policies.set(found, (parsed = parsePolicy(found.object.metadata.labels, this.#rules.defaults)));
    return parsed;
  }

  #exemption({ namespace, user }: AdmissionAttributes, spec?: PodSpec): string | undefined {
    if (this.#rules.exemptNamespaces.has(namespace)) return 'namespace';
    if (this.#rules.exemptUsers.has(user.name)) return 'user';
    return spec?.runtimeClassName && this.#rules.exemptRuntimeClasses.has(spec.runtimeClassName)
      ? 'runtimeClass'
      : undefined;
  }

  validatePod(attributes: AdmissionAttributes): void {
    const pod = podOf(attributes);
    const exempt = this.#exemption(attributes);
    if (exempt) return this.#exempted(attributes, exempt);
    const parsed = this.#policyOf(attributes);
    if (!parsed) throw internalError(`failed to lookup namespace ${attributes.namespace}`);
    const { enforce, audit, warn } = parsed.policy;
    if (
      parsed.errors.length === 0 &&
      enforce.level === 'privileged' &&
      warn.level === 'privileged' &&
      audit.level === 'privileged'
    ) {
      this.#metrics.evaluated(attributes, 'enforce', enforce, 'allow');
      return attributes.annotate(`${LABEL_PREFIX}enforce-policy`, policyText(enforce));
    }
    if (attributes.operation === 'UPDATE' && !isSignificantUpdate(pod, oldPodOf(attributes))) return;
    this.#evaluate(attributes, parsed, { metadata: pod.metadata, spec: specOf(pod), enforced: true });
  }

  validateWorkload(attributes: AdmissionAttributes): void {
    const exempt = this.#exemption(attributes);
    if (exempt) return this.#exempted(attributes, exempt);
    const parsed = this.#policyOf(attributes);
    if (!parsed)
      return attributes.annotate(`${LABEL_PREFIX}error`, `failed to lookup namespace ${attributes.namespace}`);
    if (
      parsed.errors.length === 0 &&
      parsed.policy.warn.level === 'privileged' &&
      parsed.policy.audit.level === 'privileged'
    )
      return;
    const template = templateOf(attributes.object!);
    if (template?.spec)
      this.#evaluate(attributes, parsed, { metadata: template.metadata ?? {}, spec: template.spec, enforced: false });
  }

  #evaluate(
    attributes: AdmissionAttributes,
    { policy, errors }: ParsedPolicy,
    { metadata, spec, enforced }: Evaluated,
  ): void {
    const exempt = this.#exemption(attributes, spec);
    if (exempt) return this.#exempted(attributes, exempt);
    if (errors.length > 0)
      attributes.annotate(
        `${LABEL_PREFIX}error`,
        `Failed to parse policy: ${errors.map((error) => `${error.field}: ${error.body()}`).join(', ')}`,
      );
    const { enforce, audit, warn } = policy;
    const refused = enforced ? evaluatePod(enforce, spec, metadata) : [];
    if (enforced) attributes.annotate(`${LABEL_PREFIX}enforce-policy`, policyText(enforce));
    if (enforced) this.#metrics.evaluated(attributes, 'enforce', enforce, decisionOf(refused));
    const audited = enforced && samePolicy(audit, enforce) ? refused : evaluatePod(audit, spec, metadata);
    if (audited.length > 0) this.#metrics.evaluated(attributes, 'audit', audit, 'deny');
    if (audited.length > 0)
      attributes.annotate(
        `${LABEL_PREFIX}audit-violations`,
        `would violate PodSecurity "${policyText(audit)}": ${violationsText(audited)}`,
      );
    if (refused.length > 0)
      throw newForbidden(attributes, `violates PodSecurity "${policyText(enforce)}": ${violationsText(refused)}`);
    const warned = enforced && samePolicy(warn, enforce) ? refused : evaluatePod(warn, spec, metadata);
    if (warned.length > 0) this.#metrics.evaluated(attributes, 'warn', warn, 'deny');
    if (warned.length > 0)
      attributes.warn(`would violate PodSecurity "${policyText(warn)}": ${violationsText(warned)}`);
  }

  #exempted(attributes: AdmissionAttributes, by: string): void {
    this.#metrics.exempted(attributes);
    attributes.annotate(`${LABEL_PREFIX}exempt`, by);
  }

  validateNamespace(attributes: AdmissionAttributes): void {
    const { object, oldObject, name } = attributes;
    const now = parsePolicy(object!.metadata.labels, this.#rules.defaults);
    const before = oldObject && parsePolicy(oldObject.metadata.labels, this.#rules.defaults);
    if (now.errors.length > 0 && (!before || errorsText(now) !== errorsText(before)))
      throw invalid({ group: '', kind: 'Namespace' }, object!.metadata.name ?? name, now.errors);
    if (!before) return;
    const { enforce } = now.policy;
    const old = before.policy.enforce;
    if (samePolicy(enforce, old) || enforce.level === 'privileged') return;
    if (enforce.version === old.version && compareLevels(enforce.level, old.level) <= 0) return;
    if (this.#rules.exemptNamespaces.has(name)) return this.#exempted(attributes, 'namespace');
    for (const warning of warningsOfNamespace(this.#pods, {
      namespace: name,
      policy: enforce,
      exemptRuntimeClasses: this.#rules.exemptRuntimeClasses,
    }))
      attributes.warn(warning);
  }
}

interface Evaluated {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly enforced: boolean;
}

const decisionOf = (violations: readonly unknown[]): 'allow' | 'deny' => (violations.length === 0 ? 'allow' : 'deny');

const errorsText = ({ errors }: ParsedPolicy): string =>
  errors.map((error) => `${error.field}: ${error.body()}`).join();

/** The pod template of a workload. */
function templateOf(object: KubeObject): PodTemplateSpec | undefined {
  interface Workload {
    readonly template?: PodTemplateSpec;
    readonly spec?: {
      readonly template?: PodTemplateSpec;
      readonly jobTemplate?: { readonly spec?: { readonly template?: PodTemplateSpec } };
    };
  }
  const { template, spec } = object as KubeObject & Workload;
  return template ?? spec?.template ?? spec?.jobTemplate?.spec?.template;
}
