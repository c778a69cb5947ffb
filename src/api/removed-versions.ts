/**
 * Versions that v1.36 does not serve, but that earlier releases stored and clients of the time wrote to files. They are declared to be
 * decoded and encoded, and are in no discovery or OpenAPI document. Most have the fields of a served version; the others are
 * declared as what differs from one, and linked when the first of their objects is met.
 */
import { appsV1 } from './apps/v1.ts';
import { authorizationV1 } from './authorization/v1.ts';
import { autoscalingV1 } from './autoscaling/v1.ts';
import { certificatesV1beta1 } from './certificates/v1beta1.ts';
import {
  field,
  message,
  type FieldDeclaration,
  type MessageDeclaration,
  type MessageDeclarations,
  messagesOf,
  object,
  type PackageDeclaration,
} from './declare.ts';
import { discoveryV1 } from './discovery/v1.ts';
import { flowcontrolV1 } from './flowcontrol/v1.ts';
import { networkingV1 } from './networking/v1.ts';
import { nodeV1 } from './node/v1.ts';
import { rbacV1 } from './rbac/v1.ts';
import { schedulingV1alpha2 } from './scheduling/v1alpha2.ts';

const POLICIES = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'];
const STORAGE_V1ALPHA1 = ['CSIStorageCapacity', 'VolumeAttachment', 'VolumeAttributesClass'];
const FLOWCONTROL = 'flowcontrol.apiserver.k8s.io';
const RBAC = 'rbac.authorization.k8s.io';

/** Kinds that have the fields of a served version under the same protobuf numbers: served version, removed version, kinds. */
export const sameFields: readonly (readonly [served: string, removed: string, kinds: readonly string[]])[] = [
  ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1', ['AdmissionReview']],
  ['admissionregistration.k8s.io/v1', 'admissionregistration.k8s.io/v1alpha1', POLICIES],
  [
    'admissionregistration.k8s.io/v1',
    'admissionregistration.k8s.io/v1beta1',
    ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
  ],
  ['apidiscovery.k8s.io/v2', 'apidiscovery.k8s.io/v2beta1', ['APIGroupDiscovery', 'APIGroupDiscoveryList']],
  ['apps/v1', 'apps/v1beta1', ['ControllerRevision', 'StatefulSet']],
  ['apps/v1', 'apps/v1beta2', ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet']],
  ['authentication.k8s.io/v1', 'authentication.k8s.io/v1beta1', ['SelfSubjectReview', 'TokenReview']],
  ['authorization.k8s.io/v1', 'authorization.k8s.io/v1beta1', ['SelfSubjectAccessReview', 'SelfSubjectRulesReview']],
  ['autoscaling/v2', 'autoscaling/v2beta2', ['HorizontalPodAutoscaler']],
  ['batch/v1', 'batch/v1beta1', ['CronJob']],
  ['certificates.k8s.io/v1', 'certificates.k8s.io/v1beta1', ['CertificateSigningRequest']],
  ['coordination.k8s.io/v1', 'coordination.k8s.io/v1beta1', ['Lease']],
  ['events.k8s.io/v1', 'events.k8s.io/v1beta1', ['Event']],
  ['apps/v1', 'extensions/v1beta1', ['ReplicaSet']],
  ['networking.k8s.io/v1', 'extensions/v1beta1', ['NetworkPolicy']],
  [`${FLOWCONTROL}/v1`, `${FLOWCONTROL}/v1beta1`, ['FlowSchema']],
  [`${FLOWCONTROL}/v1`, `${FLOWCONTROL}/v1beta2`, ['FlowSchema']],
  [`${FLOWCONTROL}/v1`, `${FLOWCONTROL}/v1beta3`, ['FlowSchema', 'PriorityLevelConfiguration']],
  ['networking.k8s.io/v1', 'networking.k8s.io/v1beta1', ['IngressClass']],
  ['node.k8s.io/v1', 'node.k8s.io/v1beta1', ['RuntimeClass']],
  ['policy/v1', 'policy/v1beta1', ['Eviction', 'PodDisruptionBudget']],
  [`${RBAC}/v1`, `${RBAC}/v1beta1`, ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']],
  ['scheduling.k8s.io/v1', 'scheduling.k8s.io/v1alpha1', ['PriorityClass']],
  ['scheduling.k8s.io/v1', 'scheduling.k8s.io/v1beta1', ['PriorityClass']],
  ['storage.k8s.io/v1', 'storage.k8s.io/v1alpha1', STORAGE_V1ALPHA1],
  [
    'storage.k8s.io/v1',
    'storage.k8s.io/v1beta1',
    ['CSIDriver', 'CSINode', 'CSIStorageCapacity', 'StorageClass', 'VolumeAttachment'],
  ],
];

/** Groups that have no served version. */
export const REMOVED_GROUPS: readonly string[] = ['extensions', 'imagepolicy.k8s.io'];

/** Some kinds of a removed version, as what differs from a version that is declared whole. */
interface RemovedVersion {
  readonly from: PackageDeclaration;
  /** The group, if it is another one. */
  readonly group?: string;
  readonly version: string;
  readonly kinds: readonly string[];
  readonly messages: MessageDeclarations;
}

/** The packages of the versions whose fields differ. */
export const removedPackages = (): readonly PackageDeclaration[] =>
  [...removedWorkloads(), ...removedNetworking(), ...removedPolicies(), ...removedAlphas()].map(packageOf);

function packageOf({ from, group = from.group, version, kinds, messages }: RemovedVersion): PackageDeclaration {
  const named = from.prefix.slice(0, -from.version.length);
  return {
    alias: `${group}/${version} of ${from.alias}`,
    group,
    version,
    prefix: `${group === from.group ? named : `io.k8s.api.${group}.`}${version}`,
    strings: from.strings,
    messages: messagesOf({ ...from.messages, ...messages }, kinds),
    kinds: [],
  };
}

/** A message with other fields in the place of some of its own. */
const replacing = (
  { fields, ...rest }: MessageDeclaration,
  others: Readonly<Record<string, Readonly<Record<string, FieldDeclaration>>>>,
): MessageDeclaration => ({
  ...rest,
  fields: Object.fromEntries(
    Object.entries(fields).flatMap(([name, declaration]) => Object.entries(others[name] ?? { [name]: declaration })),
  ),
});

/** The same field with another default. */
const defaulting = (declaration: FieldDeclaration, value: string | number): FieldDeclaration => ({
  ...declaration,
  options: { ...declaration.options, default: value },
});

/** More than any number of revisions or seconds: as if unset. */
const MAX_INT32 = 2 ** 31 - 1;

function removedWorkloads(): RemovedVersion[] {
  const { DaemonSetSpec, DaemonSetUpdateStrategy, DeploymentSpec } = appsV1.messages as Record<
    'DaemonSetSpec' | 'DaemonSetUpdateStrategy' | 'DeploymentSpec',
    MessageDeclaration
  >;
  const deployments = (revisions: number, deadline: number): MessageDeclarations => ({
    DeploymentSpec: replacing(DeploymentSpec, {
      revisionHistoryLimit: {
        revisionHistoryLimit: defaulting(DeploymentSpec.fields['revisionHistoryLimit']!, revisions),
      },
      progressDeadlineSeconds: {
        rollbackTo: field(8, '*RollbackConfig', 'Asks for a rollback.'),
        progressDeadlineSeconds: defaulting(DeploymentSpec.fields['progressDeadlineSeconds']!, deadline),
      },
    }),
    DeploymentRollback: object('Asks for the rollback of a Deployment.', {
      name: field(1, 'string', 'Name of the Deployment.', { keep: true }),
      updatedAnnotations: field(2, 'map[string]string', 'Annotations that the Deployment gets.'),
      rollbackTo: field(3, 'RollbackConfig', 'What to roll back to.', { keep: true }),
    }),
    RollbackConfig: message('What to roll back to.', {
      revision: field(1, 'int64', 'The revision; 0 for the last one.'),
    }),
  });
  const scale: MessageDeclarations = {
    ScaleStatus: message('The present number of replicas.', {
      replicas: field(1, 'int32', 'Present number of replicas.', { keep: true }),
      selector: field(2, 'map[string]string', 'Labels of the Pods.'),
      targetSelector: field(3, 'string', 'Labels of the Pods, as a selector string.'),
    }),
  };
  return [
    { from: appsV1, version: 'v1beta1', kinds: ['Deployment', 'DeploymentRollback'], messages: deployments(2, 600) },
    {
      from: appsV1,
      group: 'extensions',
      version: 'v1beta1',
      kinds: ['DaemonSet', 'Deployment', 'DeploymentRollback'],
      messages: {
        ...deployments(MAX_INT32, MAX_INT32),
        DaemonSetSpec: replacing(DaemonSetSpec, {
          revisionHistoryLimit: {
            templateGeneration: field(5, 'int64', 'Counts the changes of the template.'),
            revisionHistoryLimit: DaemonSetSpec.fields['revisionHistoryLimit']!,
          },
        }),
        DaemonSetUpdateStrategy: replacing(DaemonSetUpdateStrategy, {
          type: { type: defaulting(DaemonSetUpdateStrategy.fields['type']!, 'OnDelete') },
        }),
      },
    },
    ...[
      ['apps', 'v1beta1'],
      ['apps', 'v1beta2'],
      ['extensions', 'v1beta1'],
    ].map(([group, version]): RemovedVersion => ({
      from: autoscalingV1,
      group: group!,
      version: version!,
      kinds: ['Scale'],
      messages: scale,
    })),
    {
      from: autoscalingV1,
      version: 'v2beta1',
      kinds: ['HorizontalPodAutoscaler'],
      messages: autoscalerV2beta1(),
    },
  ];
}

function autoscalerV2beta1(): MessageDeclarations {
  const { HorizontalPodAutoscalerSpec, HorizontalPodAutoscalerStatus, ContainerResourceMetricSource } =
    autoscalingV1.messages as Record<string, MessageDeclaration>;
  return {
    ContainerResourceMetricSource: replacing(ContainerResourceMetricSource!, {
      container: { container: field(4, 'string', 'Name of the container.', { keep: true }) },
    }),
    HorizontalPodAutoscalerSpec: replacing(HorizontalPodAutoscalerSpec!, {
      targetCPUUtilizationPercentage: { metrics: field(4, '[]MetricSpec', 'Metrics to scale by.') },
    }),
    HorizontalPodAutoscalerStatus: replacing(HorizontalPodAutoscalerStatus!, {
      currentCPUUtilizationPercentage: {
        currentMetrics: field(5, '[]MetricStatus', 'Present values of the metrics.', { keep: true }),
        conditions: field(6, '[]HorizontalPodAutoscalerCondition', 'Conditions of the autoscaler.', { keep: true }),
      },
    }),
  };
}

function removedNetworking(): RemovedVersion[] {
  const { HTTPIngressPath, IngressSpec } = networkingV1.messages as Record<string, MessageDeclaration>;
  const ingress = {
    kinds: ['Ingress'],
    messages: {
      HTTPIngressPath: replacing(HTTPIngressPath!, {
        pathType: { pathType: field(3, '*PathType', 'How the path matches.', { default: 'ImplementationSpecific' }) },
      }),
      IngressBackend: message('Where requests go.', {
        serviceName: field(1, 'string', 'Name of the Service.'),
        servicePort: field(2, 'IntOrString', 'Port of the Service.', { omitZero: true }),
        resource: field(3, '*core.TypedLocalObjectReference', 'An object of another kind in the namespace.'),
      }),
      IngressSpec: replacing(IngressSpec!, {
        defaultBackend: { backend: field(1, '*IngressBackend', 'Where requests go that no rule matches.') },
      }),
    },
  };
  return [
    { from: networkingV1, version: 'v1beta1', ...ingress },
    { from: networkingV1, group: 'extensions', version: 'v1beta1', ...ingress },
    {
      from: discoveryV1,
      version: 'v1beta1',
      kinds: ['EndpointSlice'],
      messages: {
        Endpoint: replacing(discoveryV1.messages['Endpoint']!, {
          deprecatedTopology: { topology: field(5, 'map[string]string', 'Topology labels of the endpoint.') },
          zone: {},
          hints: { hints: field(7, '*EndpointHints', 'Who should use it.') },
        }),
      },
    },
  ];
}

function removedPolicies(): RemovedVersion[] {
  const { PolicyRule, Subject } = rbacV1.messages as Record<'PolicyRule' | 'Subject', MessageDeclaration>;
  const limited = replacing(flowcontrolV1.messages['LimitedPriorityLevelConfiguration']!, {
    nominalConcurrencyShares: {
      assuredConcurrencyShares: field(1, 'int32', "Share of the server's concurrency.", { keep: true, default: 30 }),
    },
  });
  return [
    {
      from: authorizationV1,
      version: 'v1beta1',
      kinds: ['LocalSubjectAccessReview', 'SubjectAccessReview'],
      messages: {
        SubjectAccessReviewSpec: replacing(authorizationV1.messages['SubjectAccessReviewSpec']!, {
          groups: { group: field(4, '[]string', 'Groups of the user.') },
        }),
      },
    },
    ...['v1beta1', 'v1beta2'].map((version): RemovedVersion => ({
      from: flowcontrolV1,
      version,
      kinds: ['PriorityLevelConfiguration'],
      messages: { LimitedPriorityLevelConfiguration: limited },
    })),
    {
      from: rbacV1,
      version: 'v1alpha1',
      kinds: ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
      messages: {
        PolicyRule: {
          ...PolicyRule,
          fields: Object.fromEntries(
            Object.entries(PolicyRule.fields).map(([name, declaration]) => [
              name,
              name === 'verbs' ? declaration : { ...declaration, number: declaration.number + 1 },
            ]),
          ),
        },
        Subject: replacing(Subject, {
          apiGroup: { apiVersion: field(2, 'string', 'API group and version of the subject.') },
        }),
      },
    },
  ];
}

function removedAlphas(): RemovedVersion[] {
  const spec = certificatesV1beta1.messages['PodCertificateRequestSpec']!;
  const bytes = { required: true, keep: true } as const;
  return [
    {
      from: certificatesV1beta1,
      version: 'v1alpha1',
      kinds: ['PodCertificateRequest'],
      messages: {
        PodCertificateRequestSpec: replacing(spec, {
          pkixPublicKey: { pkixPublicKey: field(9, 'bytes', 'Public key in PKIX form.', bytes) },
          stubPKCS10Request: {},
          unverifiedUserAnnotations: {},
        }),
      },
    },
    {
      from: authorizationV1,
      group: 'imagepolicy.k8s.io',
      version: 'v1alpha1',
      kinds: ['ImageReview'],
      messages: imageReview,
    },
    {
      from: nodeV1,
      version: 'v1alpha1',
      kinds: ['RuntimeClass'],
      messages: {
        RuntimeClass: object('A container runtime that Pods can choose.', {
          metadata: nodeV1.messages['RuntimeClass']!.fields['metadata']!,
          spec: field(2, 'RuntimeClassSpec', 'The runtime.', { required: true, keep: true }),
        }),
        RuntimeClassSpec: message('The runtime.', {
          runtimeHandler: field(1, 'string', "Name of the runtime's configuration on the nodes.", { keep: true }),
          overhead: field(2, '*Overhead', 'Resources that each Pod costs beyond its containers.'),
          scheduling: field(3, '*Scheduling', 'Nodes that have the runtime.'),
        }),
      },
    },
    {
      from: schedulingV1alpha2,
      version: 'v1alpha1',
      kinds: ['Workload'],
      messages: {
        PodGroup: message('Pods that are scheduled as a group.', {
          name: field(1, 'string', 'Name of the group.', { keep: true }),
          policy: field(3, 'PodGroupPolicy', 'How the pods of the group are scheduled.', { keep: true }),
        }),
        PodGroupPolicy: message('How the pods of a group are scheduled.', {
          basic: field(2, '*BasicSchedulingPolicy', 'One by one.'),
          gang: field(3, '*GangSchedulingPolicy', 'Together or not at all.'),
        }),
        WorkloadSpec: replacing(schedulingV1alpha2.messages['WorkloadSpec']!, {
          podGroupTemplates: { podGroups: field(2, '[]PodGroup', 'The groups.', { keep: true }) },
        }),
      },
    },
  ];
}

const imageReview: MessageDeclarations = {
  ImageReview: object('Asks a webhook whether the images of a Pod may be used.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    spec: field(2, 'ImageReviewSpec', 'The images.', { keep: true }),
    status: field(3, 'ImageReviewStatus', 'The answer.'),
  }),
  ImageReviewSpec: message('The images of a Pod.', {
    containers: field(1, '[]ImageReviewContainerSpec', 'The containers.'),
    annotations: field(2, 'map[string]string', 'Annotations of the Pod for the webhook.'),
    namespace: field(3, 'string', 'Namespace of the Pod.'),
  }),
  ImageReviewContainerSpec: message('A container.', { image: field(1, 'string', 'The image.') }),
  ImageReviewStatus: message('Whether the images may be used.', {
    allowed: field(1, 'bool', 'Whether they may.', { keep: true }),
    reason: field(2, 'string', 'Why not.'),
    auditAnnotations: field(3, 'map[string]string', 'What the audit log gets.'),
  }),
};
