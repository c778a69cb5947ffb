/** The policy group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const policyV1: PackageDeclaration = {
  alias: 'policy',
  group: 'policy',
  version: 'v1',
  prefix: 'io.k8s.api.policy.v1',
  strings: {
    UnhealthyPodEvictionPolicyType: ['IfHealthyBudget', 'AlwaysAllow'],
  },
  messages: {
    Eviction: object('Asks to delete a Pod unless a disruption budget forbids it.', {
      metadata: field(1, 'meta.ObjectMeta', 'Name and namespace of the Pod.'),
      deleteOptions: field(2, '*meta.DeleteOptions', 'How the Pod is deleted.'),
    }),
    PodDisruptionBudget: object('Limits how many Pods may be evicted at once.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'PodDisruptionBudgetSpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'PodDisruptionBudgetStatus', 'The observed state, as the system last reported it.'),
    }),
    PodDisruptionBudgetList: listOf('PodDisruptionBudget'),
    PodDisruptionBudgetSpec: message('Which Pods, and how many must stay.', {
      minAvailable: field(
        1,
        '*IntOrString',
        'Pods that must stay available, a number or percentage; excludes maxUnavailable.',
      ),
      selector: field(2, '*meta.LabelSelector', 'Labels of the Pods; empty selects all of the namespace.', {
        patch: 'replace',
      }),
      maxUnavailable: field(
        3,
        '*IntOrString',
        'Pods that may be missing, a number or percentage; excludes minAvailable.',
      ),
      unhealthyPodEvictionPolicy: field(
        4,
        '*UnhealthyPodEvictionPolicyType',
        'Eviction of Pods that are not ready: IfHealthyBudget (default) or AlwaysAllow.',
      ),
    }),
    PodDisruptionBudgetStatus: message('State of a budget.', {
      observedGeneration: field(1, 'int64', 'The metadata.generation that this status describes.'),
      disruptedPods: field(2, 'map[string]Time', 'Pods whose eviction was allowed and is still to be seen.'),
      disruptionsAllowed: field(3, 'int32', 'Pods that may be evicted now.', { keep: true }),
      currentHealthy: field(4, 'int32', 'Pods that are healthy.', { keep: true }),
      desiredHealthy: field(5, 'int32', 'Fewest healthy Pods.', { keep: true }),
      expectedPods: field(6, 'int32', 'All Pods counted by the budget.', { keep: true }),
      conditions: field(7, '[]meta.Condition', 'Conditions, such as DisruptionAllowed.', {
        list: { map: ['type'] },
        patch: 'merge',
        mergeKey: 'type',
      }),
    }),
  },
  kinds: [
    {
      kind: 'PodDisruptionBudget',
      plural: 'poddisruptionbudgets',
      namespaced: true,
      shortNames: ['pdb'],
      subresources: {
        status: { verbs: ['get', 'patch', 'update'] },
      },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Min Available', 'string'),
        column('Max Unavailable', 'string'),
        column('Allowed Disruptions', 'integer'),
        column('Age', 'string'),
      ],
    },
  ],
};
