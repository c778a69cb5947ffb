/** The scheduling.k8s.io group, v1alpha2. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

/** What a PodGroup and its template have in common, under the numbers 2 to 7. */
const group = {
  schedulingPolicy: field(2, 'PodGroupSchedulingPolicy', 'How the pods of the group are scheduled.', {
    required: true,
    keep: true,
  }),
  schedulingConstraints: field(3, '*PodGroupSchedulingConstraints', 'Where the pods may be; fixed.', {
    gate: 'TopologyAwareWorkloadScheduling',
  }),
  resourceClaims: field(4, '[]PodGroupResourceClaim', 'Claims that the pods of the group share; at most 4.', {
    list: { map: ['name'] },
    patch: 'merge,retainKeys',
    mergeKey: 'name',
    gate: 'DRAWorkloadResourceClaims',
  }),
  disruptionMode: field(5, '*DisruptionMode', 'Whether single pods or only the whole group may be preempted.', {
    gate: 'WorkloadAwarePreemption',
  }),
  priorityClassName: field(6, 'string', 'PriorityClass of the group.', { gate: 'WorkloadAwarePreemption' }),
  priority: field(7, '*int32', 'Priority of the group; higher goes first.', { gate: 'WorkloadAwarePreemption' }),
};

export const schedulingV1alpha2: PackageDeclaration = {
  alias: 'schedulingv1alpha2',
  group: 'scheduling.k8s.io',
  version: 'v1alpha2',
  prefix: 'io.k8s.api.scheduling.v1alpha2',
  strings: { DisruptionMode: ['Pod', 'PodGroup'] },
  messages: {
    BasicSchedulingPolicy: message('Pods are scheduled one by one.', {}),
    GangSchedulingPolicy: message('Pods are scheduled together or not at all.', {
      minCount: field(1, 'int32', 'How many pods must fit at once; at least 1.', { required: true, keep: true }),
    }),
    PodGroup: object('Pods that are scheduled as a group.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'PodGroupSpec', 'How the group is scheduled.', { required: true, keep: true }),
      status: field(3, 'PodGroupStatus', 'The observed state, as the system last reported it.'),
    }),
    PodGroupList: listOf('PodGroup'),
    PodGroupResourceClaim: message('A claim that the pods of a group share; by name or from a template.', {
      name: field(1, 'string', 'Name by which pods refer to the claim, a DNS label.', { required: true, keep: true }),
      resourceClaimName: field(2, '*string', 'Name of a ResourceClaim of the namespace.'),
      resourceClaimTemplateName: field(3, '*string', 'ResourceClaimTemplate of which a claim is made.'),
    }),
    PodGroupResourceClaimStatus: message('The claim that was made from a template.', {
      name: field(1, 'string', "Name of the claim in the group's spec.", { required: true, keep: true }),
      resourceClaimName: field(2, '*string', 'Name of the ResourceClaim; unset if none was needed.'),
    }),
    PodGroupSchedulingConstraints: message('Where the pods of a group may be.', {
      topology: field(1, '[]TopologyConstraint', 'Domains that the pods must share; at most 1.', { list: 'atomic' }),
    }),
    PodGroupSchedulingPolicy: message(
      'How the pods of a group are scheduled; exactly one member.',
      {
        basic: field(1, '*BasicSchedulingPolicy', 'One by one.'),
        gang: field(2, '*GangSchedulingPolicy', 'Together or not at all.'),
      },
      { union: { members: ['basic', 'gang'] } },
    ),
    PodGroupSpec: message('How a group is scheduled.', {
      podGroupTemplateRef: field(1, '*PodGroupTemplateReference', 'The template of which the group was made; fixed.', {
        keep: true,
      }),
      ...group,
      disruptionMode: {
        ...group.disruptionMode,
        options: { ...group.disruptionMode.options, default: 'Pod', statesDefault: true },
      },
    }),
    PodGroupStatus: message('What became of a group.', {
      conditions: field(1, '[]meta.Condition', 'PodGroupScheduled and DisruptionTarget, with reasons.', {
        list: { map: ['type'] },
        patch: 'merge',
        mergeKey: 'type',
      }),
      resourceClaimStatuses: field(2, '[]PodGroupResourceClaimStatus', 'Claims that were made from templates.', {
        list: { map: ['name'] },
        patch: 'merge,retainKeys',
        mergeKey: 'name',
        gate: 'DRAWorkloadResourceClaims',
      }),
    }),
    PodGroupTemplate: message('Template of a group.', {
      name: field(1, 'string', 'Name of the template, a DNS label.', { required: true, keep: true }),
      ...group,
      schedulingConstraints: {
        ...group.schedulingConstraints,
        options: { ...group.schedulingConstraints.options, keep: true },
      },
    }),
    PodGroupTemplateReference: message(
      'Where the template of a group is.',
      { workload: field(1, '*WorkloadPodGroupTemplateReference', 'A template of a Workload.', { keep: true }) },
      { union: { members: ['workload'] } },
    ),
    TopologyConstraint: message('A domain that pods must share.', {
      key: field(1, 'string', 'Label of nodes that names the domain.', { required: true, keep: true }),
    }),
    TypedLocalObjectReference: message('An object of the same namespace.', {
      apiGroup: field(1, 'string', 'API group of the object; empty for core.'),
      kind: field(2, 'string', 'Kind of the object.', { required: true, keep: true }),
      name: field(3, 'string', 'Name of the object.', { required: true, keep: true }),
    }),
    Workload: object('Templates of the groups in which the pods of a workload are scheduled.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'WorkloadSpec', 'The templates.', { required: true, keep: true }),
    }),
    WorkloadList: listOf('Workload'),
    WorkloadPodGroupTemplateReference: message('A template of a Workload.', {
      workloadName: field(1, 'string', 'Name of the Workload.', { required: true, keep: true }),
      podGroupTemplateName: field(2, 'string', 'Name of the template in it.', { required: true, keep: true }),
    }),
    WorkloadSpec: message('The templates of a workload.', {
      controllerRef: field(1, '*TypedLocalObjectReference', 'The object whose pods these are, such as a Job; fixed.'),
      podGroupTemplates: field(2, '[]PodGroupTemplate', 'The templates, at most 8; fixed.', {
        required: true,
        keep: true,
        list: { map: ['name'] },
      }),
    }),
  },
  kinds: [
    {
      kind: 'PodGroup',
      plural: 'podgroups',
      namespaced: true,
      gate: 'GenericWorkload',
      subresources: { status: { verbs: ['get', 'patch', 'update'] } },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Policy', 'string'),
        column('Workload', 'string'),
        column('Status', 'string'),
        column('Age', 'string'),
      ],
    },
    {
      kind: 'Workload',
      plural: 'workloads',
      namespaced: true,
      gate: 'GenericWorkload',
      columns: [column('Name', 'string', 0, 'name'), column('Age', 'string')],
    },
  ],
};
