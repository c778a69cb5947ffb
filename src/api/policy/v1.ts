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
    Eviction: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      deleteOptions: field(2, '*meta.DeleteOptions', ''),
    }),
    PodDisruptionBudget: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'PodDisruptionBudgetSpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'PodDisruptionBudgetStatus', 'The observed state, as the system last reported it.'),
    }),
    PodDisruptionBudgetList: listOf('PodDisruptionBudget'),
    PodDisruptionBudgetSpec: message('', {
      minAvailable: field(1, '*IntOrString', ''),
      selector: field(2, '*meta.LabelSelector', '', { patch: 'replace' }),
      maxUnavailable: field(3, '*IntOrString', ''),
      unhealthyPodEvictionPolicy: field(4, '*UnhealthyPodEvictionPolicyType', ''),
    }),
    PodDisruptionBudgetStatus: message('', {
      observedGeneration: field(1, 'int64', 'The metadata.generation that this status describes.'),
      disruptedPods: field(2, 'map[string]Time', ''),
      disruptionsAllowed: field(3, 'int32', '', { keep: true }),
      currentHealthy: field(4, 'int32', '', { keep: true }),
      desiredHealthy: field(5, 'int32', '', { keep: true }),
      expectedPods: field(6, 'int32', '', { keep: true }),
      conditions: field(7, '[]meta.Condition', '', { list: { map: ['type'] }, patch: 'merge', mergeKey: 'type' }),
    }),
  },
  kinds: [
    {
      kind: 'PodDisruptionBudget',
      plural: 'poddisruptionbudgets',
      singular: 'poddisruptionbudget',
      namespaced: true,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
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
