/** PodSecurity: pods keep to the level that their namespace's labels ask for; workloads that would not are warned of. */
import type { PodSpec, PodTemplateSpec } from '../../../api/generated/core-v1.ts';
import type { ObjectMeta } from '../../../api/generated/meta-v1.ts';
import { internalError, invalid } from '../../../machinery/errors/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Registry } from '../../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { isFor, oldPodOf, podOf, specOf } from '../kinds.ts';
import { refuse } from '../refuse.ts';
import { rulesFrom, type PodSecurityConfiguration } from './configuration.ts';
import { evaluatePod, violationsText } from './evaluate.ts';
import { warningsOfNamespace } from './namespace-warnings.ts';
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

/** Subresources of pods that do not change what runs. */
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

export function podSecurityPlugin(registry: Registry, configuration: PodSecurityConfiguration = {}): AdmissionPlugin {
  const rules = rulesFrom(configuration);
  const namespaces = registry.require('', 'v1', 'namespaces');
  const pods = registry.require('', 'v1', 'pods');

  /** By the state of the namespace, of which there is another entry after each change. */
  const policies = new WeakMap<object, ParsedPolicy>();

  function policyOf({ namespace }: AdmissionAttributes): ParsedPolicy | undefined {
    const found = namespaces.cache.get('', namespace);
    if (!found) return undefined;
    let parsed = policies.get(found);
    if (!parsed) policies.set(found, (parsed = parsePolicy(found.object.metadata.labels, rules.defaults)));
    return parsed;
  }

  function exemption({ namespace, user }: AdmissionAttributes, spec?: PodSpec): string | undefined {
    if (rules.exemptNamespaces.has(namespace)) return 'namespace';
    if (rules.exemptUsers.has(user.name)) return 'user';
    return spec?.runtimeClassName && rules.exemptRuntimeClasses.has(spec.runtimeClassName) ? 'runtimeClass' : undefined;
  }

  function validatePod(attributes: AdmissionAttributes): void {
    const pod = podOf(attributes);
    const exempt = exemption(attributes);
    if (exempt) return attributes.annotate(`${LABEL_PREFIX}exempt`, exempt);
    const parsed = policyOf(attributes);
    if (!parsed) throw internalError(`failed to lookup namespace ${attributes.namespace}`);
    const { enforce, audit, warn } = parsed.policy;
    if (
      parsed.errors.length === 0 &&
      enforce.level === 'privileged' &&
      warn.level === 'privileged' &&
      audit.level === 'privileged'
    ) {
      return attributes.annotate(`${LABEL_PREFIX}enforce-policy`, policyText(enforce));
    }
    if (attributes.operation === 'UPDATE' && !isSignificantUpdate(pod, oldPodOf(attributes))) return;
    evaluate(attributes, parsed, { metadata: pod.metadata, spec: specOf(pod), enforced: true });
  }

  function validateWorkload(attributes: AdmissionAttributes): void {
    const exempt = exemption(attributes);
    if (exempt) return attributes.annotate(`${LABEL_PREFIX}exempt`, exempt);
    const parsed = policyOf(attributes);
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
      evaluate(attributes, parsed, { metadata: template.metadata ?? {}, spec: template.spec, enforced: false });
  }

  function evaluate(
    attributes: AdmissionAttributes,
    { policy, errors }: ParsedPolicy,
    { metadata, spec, enforced }: Evaluated,
  ): void {
    const exempt = exemption(attributes, spec);
    if (exempt) return attributes.annotate(`${LABEL_PREFIX}exempt`, exempt);
    if (errors.length > 0)
      attributes.annotate(
        `${LABEL_PREFIX}error`,
        `Failed to parse policy: ${errors.map((error) => `${error.field}: ${error.body()}`).join(', ')}`,
      );
    const { enforce, audit, warn } = policy;
    const refused = enforced ? evaluatePod(enforce, spec, metadata) : [];
    if (enforced) attributes.annotate(`${LABEL_PREFIX}enforce-policy`, policyText(enforce));
    const audited = enforced && samePolicy(audit, enforce) ? refused : evaluatePod(audit, spec, metadata);
    if (audited.length > 0)
      attributes.annotate(
        `${LABEL_PREFIX}audit-violations`,
        `would violate PodSecurity "${policyText(audit)}": ${violationsText(audited)}`,
      );
    if (refused.length > 0)
      throw refuse(attributes, `violates PodSecurity "${policyText(enforce)}": ${violationsText(refused)}`);
    const warned = enforced && samePolicy(warn, enforce) ? refused : evaluatePod(warn, spec, metadata);
    if (warned.length > 0)
      attributes.warn(`would violate PodSecurity "${policyText(warn)}": ${violationsText(warned)}`);
  }

  function validateNamespace(attributes: AdmissionAttributes): void {
    const { object, oldObject, name } = attributes;
    const now = parsePolicy(object!.metadata.labels, rules.defaults);
    const before = oldObject && parsePolicy(oldObject.metadata.labels, rules.defaults);
    if (now.errors.length > 0 && (!before || errorsText(now) !== errorsText(before)))
      throw invalid({ group: '', kind: 'Namespace' }, object!.metadata.name ?? name, now.errors);
    if (!before) return;
    const { enforce } = now.policy;
    const old = before.policy.enforce;
    if (samePolicy(enforce, old) || enforce.level === 'privileged') return;
    if (enforce.version === old.version && compareLevels(enforce.level, old.level) <= 0) return;
    if (rules.exemptNamespaces.has(name)) return attributes.annotate(`${LABEL_PREFIX}exempt`, 'namespace');
    for (const warning of warningsOfNamespace(pods, {
      namespace: name,
      policy: enforce,
      exemptRuntimeClasses: rules.exemptRuntimeClasses,
    }))
      attributes.warn(warning);
  }

  return {
    name: 'PodSecurity',
    operations: ['CREATE', 'UPDATE'],
    matches: (attributes) =>
      isFor(attributes, '', 'pods')
        ? !IGNORED_SUBRESOURCES.has(attributes.subresource)
        : isWorkload(attributes) || (isFor(attributes, '', 'namespaces') && attributes.subresource === ''),
    validate(attributes) {
      if (isFor(attributes, '', 'pods')) validatePod(attributes);
      else if (isFor(attributes, '', 'namespaces')) validateNamespace(attributes);
      else validateWorkload(attributes);
    },
  };
}

interface Evaluated {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly enforced: boolean;
}

const errorsText = ({ errors }: ParsedPolicy): string =>
  errors.map((error) => `${error.field}: ${error.body()}`).join();

/** Where the kinds keep the template of their pods. */
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
