/**
 * The registry of admission plugins: the admission order, as upstream has it, and which plugins are on by default.
 *
 * Admission control: every write passes the admission plugins after authorization. `admission.ts` has the contract of a
 * plugin and the chain that runs them; `plugins.ts` lists the plugins in upstream's admission order and says which are on
 * by default. A plugin is a file, or a folder if it is larger, under upstream's name: ResourceQuota is in `resource-quota/`,
 * NodeRestriction in `node-restriction/`. Plugins share `new-forbidden.ts` (their 403), `request-objects.ts` (the request's
 * resource and objects), `derived.ts` (values computed from the watch cache) and `pod-references.ts`.
 * Dynamic admission is in `webhook/` (admission webhooks) and `policy/` (ValidatingAdmissionPolicy, MutatingAdmissionPolicy).
 */
import type { Context } from '../../kernel/index.ts';
import { featureEnabled } from '../../machinery/index.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import type { Registry } from '../registry/registry.ts';
import type { StageRunner } from '../stage-thread/stage-runner.ts';
import type { WebhookClients } from '../webhook-client/index.ts';
import type { AdmissionPlugin } from './admission.ts';
import { alwaysDeny } from './always-deny.ts';
import { alwaysPullImages } from './always-pull-images.ts';
import {
  certificateApprovalPlugin,
  certificateSigningPlugin,
  clusterTrustBundleAttestPlugin,
} from './certificate-signers.ts';
import { certificateSubjectRestriction } from './certificate-subject-restriction.ts';
import { defaultIngressClassPlugin } from './default-ingress-class.ts';
import { defaultStorageClassPlugin } from './default-storage-class.ts';
import { defaultTolerationSecondsPlugin, type DefaultTolerationSeconds } from './default-toleration-seconds.ts';
import { denyServiceExternalIPs } from './deny-service-external-ips.ts';
import { eventRateLimitPlugin, type EventRateLimitConfiguration } from './event-rate-limit.ts';
import { extendedResourceToleration } from './extended-resource-toleration.ts';
import { imagePolicyWebhookPlugin, type ImagePolicyWebhookConfiguration } from './image-policy-webhook.ts';
import { limitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology.ts';
import { limitRangerPlugin } from './limit-ranger/limit-ranger.ts';
import { namespaceAutoProvisionPlugin, namespaceExistsPlugin } from './namespace-existence.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { nodeDeclaredFeatureValidator } from './node-declared-feature-validator.ts';
import { nodeRestrictionPlugin } from './node-restriction/node-restriction.ts';
import { ownerReferencesPermissionEnforcementPlugin } from './owner-references-permission-enforcement.ts';
import { persistentVolumeClaimResizePlugin } from './persistent-volume-claim-resize.ts';
import { podGroupProtection, podGroupWorkloadExistsPlugin } from './pod-group.ts';
import { podNodeSelectorPlugin, type PodNodeSelectorConfiguration } from './pod-node-selector.ts';
import { podResizeValidator } from './pod-resize-validator.ts';
import type { PodSecurityConfiguration } from './pod-security/configuration.ts';
import { podSecurityPlugin } from './pod-security/pod-security.ts';
import {
  podTolerationRestrictionPlugin,
  type PodTolerationRestrictionConfiguration,
} from './pod-toleration-restriction.ts';
import { podTopologyLabels } from './pod-topology-labels.ts';
import {
  type ExpressionServices,
  matchConditionEvaluator,
  mutatingPolicyPlugin,
  PolicyExpressions,
  validatingPolicyPlugin,
} from './policy/index.ts';
import { priorityPlugin } from './priority.ts';
import { resourceQuotaPlugin, type ResourceQuotaConfiguration } from './resource-quota/resource-quota.ts';
import { runtimeClassPlugin } from './runtime-class.ts';
import { serviceAccountPlugin } from './service-account/service-account.ts';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';
import { mutatingWebhookPlugin, validatingWebhookPlugin, WebhookMetrics, webhookSource } from './webhook/index.ts';

export interface AdmissionOptions {
  readonly authorizer: Authorizer;
  readonly webhooks: WebhookClients;
  readonly stages: StageRunner;
  /** Feature gates that differ from their defaults. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** --enable-admission-plugins: plugins to enable besides the default ones. */
  readonly enable?: readonly string[];
  /** --disable-admission-plugins: default plugins to disable. */
  readonly disable?: readonly string[];
  readonly podSecurity?: PodSecurityConfiguration;
  readonly resourceQuota?: ResourceQuotaConfiguration;
  readonly defaultTolerationSeconds?: DefaultTolerationSeconds;
  readonly eventRateLimit?: EventRateLimitConfiguration;
  readonly podNodeSelector?: PodNodeSelectorConfiguration;
  readonly podTolerationRestriction?: PodTolerationRestrictionConfiguration;
  readonly imagePolicyWebhook?: ImagePolicyWebhookConfiguration;
}

interface PluginContext extends AdmissionOptions {
  readonly ctx: Context;
  readonly registry: Registry;
  readonly expressions: ExpressionServices;
}

interface PluginEntry {
  readonly onByDefault: boolean;
  create(context: PluginContext): AdmissionPlugin;
}

const on = (create: PluginEntry['create']): PluginEntry => ({ onByDefault: true, create });

const off = (create: PluginEntry['create']): PluginEntry => ({ onByDefault: false, create });

/** A plugin whose feature gate is off: flags may name it, and it does nothing. */
const idle = (name: string): AdmissionPlugin => ({ name, operations: [] });

const gated = (name: string, gate: string, create: PluginEntry['create']): PluginEntry =>
  on((context) => (featureEnabled(gate, context.featureGates) ? create(context) : idle(name)));

/** The admission order: plugins run in the order of this list. */
const PLUGINS = {
  AlwaysAdmit: off(() => ({ name: 'AlwaysAdmit', operations: [] })),
  NamespaceAutoProvision: off(({ ctx, registry }) => namespaceAutoProvisionPlugin(ctx, registry)),
  NamespaceLifecycle: on(() => namespaceLifecycle),
  NamespaceExists: off(({ registry }) => namespaceExistsPlugin(registry)),
  LimitPodHardAntiAffinityTopology: off(() => limitPodHardAntiAffinityTopology),
  LimitRanger: on(({ registry }) => limitRangerPlugin(registry)),
  ServiceAccount: on(({ ctx, registry }) => serviceAccountPlugin(ctx, registry)),
  NodeRestriction: off(({ registry, authorizer }) => nodeRestrictionPlugin(registry, authorizer)),
  TaintNodesByCondition: on(() => taintNodesByCondition),
  AlwaysPullImages: off(() => alwaysPullImages),
  ImagePolicyWebhook: off(({ ctx, imagePolicyWebhook }) => imagePolicyWebhookPlugin(ctx, imagePolicyWebhook)),
  PodSecurity: on(({ ctx, registry, podSecurity }) => podSecurityPlugin(ctx, registry, podSecurity)),
  PodNodeSelector: off(({ registry, podNodeSelector }) => podNodeSelectorPlugin(registry, podNodeSelector)),
  Priority: on(({ registry, featureGates }) =>
    priorityPlugin(registry, { podGroups: featureEnabled('WorkloadAwarePreemption', featureGates) }),
  ),
  DefaultTolerationSeconds: on(({ defaultTolerationSeconds }) =>
    defaultTolerationSecondsPlugin(defaultTolerationSeconds),
  ),
  PodTolerationRestriction: off(({ registry, podTolerationRestriction }) =>
    podTolerationRestrictionPlugin(registry, podTolerationRestriction),
  ),
  EventRateLimit: off(({ ctx, eventRateLimit }) => eventRateLimitPlugin(ctx.clock, eventRateLimit)),
  ExtendedResourceToleration: off(() => extendedResourceToleration),
  DefaultStorageClass: on(({ registry }) => defaultStorageClassPlugin(registry)),
  StorageObjectInUseProtection: on(() => storageObjectInUseProtection),
  PodGroupProtection: gated('PodGroupProtection', 'GenericWorkload', () => podGroupProtection),
  OwnerReferencesPermissionEnforcement: off(({ registry, authorizer }) =>
    ownerReferencesPermissionEnforcementPlugin(registry, authorizer),
  ),
  PersistentVolumeClaimResize: on(({ registry }) => persistentVolumeClaimResizePlugin(registry)),
  RuntimeClass: on(({ registry }) => runtimeClassPlugin(registry)),
  CertificateApproval: on(({ authorizer }) => certificateApprovalPlugin(authorizer)),
  CertificateSigning: on(({ authorizer }) => certificateSigningPlugin(authorizer)),
  ClusterTrustBundleAttest: on(({ authorizer }) => clusterTrustBundleAttestPlugin(authorizer)),
  CertificateSubjectRestriction: on(() => certificateSubjectRestriction),
  DefaultIngressClass: on(({ registry }) => defaultIngressClassPlugin(registry)),
  DenyServiceExternalIPs: off(() => denyServiceExternalIPs),
  PodTopologyLabels: on(() => podTopologyLabels),
  PodGroupWorkloadExists: gated('PodGroupWorkloadExists', 'GenericWorkload', ({ registry }) =>
    podGroupWorkloadExistsPlugin(registry),
  ),
  NodeDeclaredFeatureValidator: on(() => nodeDeclaredFeatureValidator),
  // Its feature gate is off in v1.36.
  JobValidation: on(() => idle('JobValidation')),
  PodResizeValidator: on(() => podResizeValidator),
  MutatingAdmissionPolicy: on(({ ctx, registry, expressions }) =>
    mutatingPolicyPlugin(ctx, registry, (options) => new PolicyExpressions(expressions, options)),
  ),
  MutatingAdmissionWebhook: on(({ ctx, registry, webhooks, expressions }) =>
    mutatingWebhookPlugin(
      { ctx, clients: webhooks, metrics: new WebhookMetrics(ctx.metrics) },
      webhookSource(registry, 'mutatingwebhookconfigurations'),
      matchConditionEvaluator(expressions),
    ),
  ),
  ValidatingAdmissionPolicy: on(({ ctx, registry, expressions }) =>
    validatingPolicyPlugin(ctx, registry, (options) => new PolicyExpressions(expressions, options)),
  ),
  ValidatingAdmissionWebhook: on(({ ctx, registry, webhooks, expressions }) =>
    validatingWebhookPlugin(
      { ctx, clients: webhooks, metrics: new WebhookMetrics(ctx.metrics) },
      webhookSource(registry, 'validatingwebhookconfigurations'),
      matchConditionEvaluator(expressions),
    ),
  ),
  ResourceQuota: on(({ ctx, registry, resourceQuota }) => resourceQuotaPlugin(ctx, registry, resourceQuota)),
  AlwaysDeny: off(() => alwaysDeny),
} satisfies Record<string, PluginEntry>;

export function admissionPlugins(
  ctx: Context,
  registry: Registry,
  options: AdmissionOptions,
): readonly AdmissionPlugin[] {
  const { enable = [], disable = [] } = options;
  checkNames(enable, disable);
  const expressions = { authorizer: options.authorizer, stages: options.stages, clock: ctx.clock };
  return Object.entries<PluginEntry>(PLUGINS)
    .filter(([name, { onByDefault }]) => enable.includes(name) || (onByDefault && !disable.includes(name)))
    .map(([, { create }]) => create({ ...options, ctx, registry, expressions }));
}

/** Throws for unknown names, and for names in both flags. */
function checkNames(enable: readonly string[], disable: readonly string[]): void {
  for (const [flag, names] of [
    ['enable-admission-plugins', enable],
    ['disable-admission-plugins', disable],
  ] as const) {
    for (const name of names) if (!Object.hasOwn(PLUGINS, name)) throw new Error(`${flag} plugin "${name}" is unknown`);
  }
  const both = enable.filter((name) => disable.includes(name)).sort();
  if (both.length > 0)
    throw new Error(`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`);
}
