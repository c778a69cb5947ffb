/** Where pods may run: affinity, node selectors, tolerations, topology spread. */
import { field, message, type MessageDeclarations } from '../../declare.ts';

export const messages = {
  Affinity: message('Where a Pod wants to run.', {
    nodeAffinity: field(1, '*NodeAffinity', 'Rules on nodes.'),
    podAffinity: field(2, '*PodAffinity', 'Rules on Pods to be near to.'),
    podAntiAffinity: field(3, '*PodAntiAffinity', 'Rules on Pods to be far from.'),
  }),
  NodeAffinity: message('Rules on the nodes of a Pod.', {
    requiredDuringSchedulingIgnoredDuringExecution: field(
      1,
      '*NodeSelector',
      'Nodes on which the Pod may be placed; later changes do not evict it.',
    ),
    preferredDuringSchedulingIgnoredDuringExecution: field(
      2,
      '[]PreferredSchedulingTerm',
      'Nodes that are preferred, by the sum of matching weights.',
      { list: 'atomic' },
    ),
  }),
  NodeSelector: message(
    'Selects nodes that match any one of its terms.',
    {
      nodeSelectorTerms: field(1, '[]NodeSelectorTerm', 'The terms; one match is enough.', {
        required: true,
        keep: true,
        list: 'atomic',
      }),
    },
    { atomic: true },
  ),
  NodeSelectorRequirement: message("A test on a node's label or field.", {
    key: field(1, 'string', 'Label key or field path.', { required: true, keep: true }),
    operator: field(2, 'NodeSelectorOperator', 'In, NotIn, Exists, DoesNotExist, Gt or Lt.', {
      required: true,
      keep: true,
    }),
    values: field(3, '[]string', 'Values to compare with; one integer for Gt and Lt, none for Exists.', {
      list: 'atomic',
    }),
  }),
  NodeSelectorTerm: message(
    'Selects nodes that pass all of its tests; an empty term selects none.',
    {
      matchExpressions: field(1, '[]NodeSelectorRequirement', 'Tests on labels.', { list: 'atomic' }),
      matchFields: field(2, '[]NodeSelectorRequirement', 'Tests on fields; only metadata.name.', { list: 'atomic' }),
    },
    { atomic: true },
  ),
  PodAffinity: message('Rules on Pods to be near to.', {
    requiredDuringSchedulingIgnoredDuringExecution: field(
      1,
      '[]PodAffinityTerm',
      'Terms that must all hold when the Pod is placed.',
      { list: 'atomic' },
    ),
    preferredDuringSchedulingIgnoredDuringExecution: field(
      2,
      '[]WeightedPodAffinityTerm',
      'Terms that make a node preferred, by the sum of their weights.',
      { list: 'atomic' },
    ),
  }),
  PodAffinityTerm: message('Selects Pods, and the topology in which to be near to or far from them.', {
    labelSelector: field(1, '*meta.LabelSelector', 'Labels of the Pods; unset selects none.'),
    namespaces: field(2, '[]string', "Namespaces of the Pods; default the Pod's own.", { list: 'atomic' }),
    topologyKey: field(3, 'string', 'Node label whose equal values mean "the same place".', {
      required: true,
      keep: true,
    }),
    namespaceSelector: field(4, '*meta.LabelSelector', 'Labels of namespaces to add; empty selects all.'),
    matchLabelKeys: field(5, '[]string', "Pod label keys whose values must equal this Pod's.", { list: 'atomic' }),
    mismatchLabelKeys: field(6, '[]string', "Pod label keys whose values must differ from this Pod's.", {
      list: 'atomic',
    }),
  }),
  PodAntiAffinity: message('Rules on Pods to be far from.', {
    requiredDuringSchedulingIgnoredDuringExecution: field(
      1,
      '[]PodAffinityTerm',
      'Terms of which none may hold when the Pod is placed.',
      { list: 'atomic' },
    ),
    preferredDuringSchedulingIgnoredDuringExecution: field(
      2,
      '[]WeightedPodAffinityTerm',
      'Terms that make a node less preferred, by the sum of their weights.',
      { list: 'atomic' },
    ),
  }),
  PreferredSchedulingTerm: message('A node term with a weight.', {
    weight: field(1, 'int32', 'Weight, 1 to 100.', { required: true, keep: true }),
    preference: field(2, 'NodeSelectorTerm', 'Nodes that earn the weight.', { required: true, keep: true }),
  }),
  ScopeSelector: message(
    'Tests on the scopes of a quota, all of which must hold.',
    {
      matchExpressions: field(1, '[]ScopedResourceSelectorRequirement', 'The tests.', { list: 'atomic' }),
    },
    { atomic: true },
  ),
  ScopedResourceSelectorRequirement: message('A test on one scope.', {
    scopeName: field(1, 'ResourceQuotaScope', 'Scope to test.', { required: true, keep: true }),
    operator: field(2, 'ScopeSelectorOperator', 'In, NotIn, Exists or DoesNotExist.', { required: true, keep: true }),
    values: field(3, '[]string', 'Values to compare with; none for Exists and DoesNotExist.', { list: 'atomic' }),
  }),
  Toleration: message('Accepts taints that match it.', {
    key: field(1, 'string', 'Taint key; empty with Exists matches all taints.'),
    operator: field(2, 'TolerationOperator', 'Exists, Equal (default), Lt or Gt.'),
    value: field(3, 'string', 'Taint value to compare with; empty for Exists.'),
    effect: field(4, 'TaintEffect', 'NoSchedule, PreferNoSchedule or NoExecute; empty matches all.'),
    tolerationSeconds: field(5, '*int64', 'Seconds for which NoExecute is accepted; default for ever.'),
  }),
  TopologySelectorLabelRequirement: message('A test on a topology label.', {
    key: field(1, 'string', 'Label key.', { required: true, keep: true }),
    values: field(2, '[]string', 'Accepted values.', { required: true, keep: true, list: 'atomic' }),
  }),
  TopologySelectorTerm: message(
    'Tests on topology labels, all of which must hold.',
    {
      matchLabelExpressions: field(1, '[]TopologySelectorLabelRequirement', 'The tests.', { list: 'atomic' }),
    },
    { atomic: true },
  ),
  TopologySpreadConstraint: message('How matching Pods are spread over a topology.', {
    maxSkew: field(1, 'int32', 'Most by which Pod counts of two places may differ.', { required: true, keep: true }),
    topologyKey: field(2, 'string', 'Node label whose values are the places.', { required: true, keep: true }),
    whenUnsatisfiable: field(
      3,
      'UnsatisfiableConstraintAction',
      'DoNotSchedule, or ScheduleAnyway as a mere preference.',
      { required: true, keep: true },
    ),
    labelSelector: field(4, '*meta.LabelSelector', 'Labels of the Pods that are counted.'),
    minDomains: field(5, '*int32', 'Least number of places; fewer count as having an empty one; default 1.'),
    nodeAffinityPolicy: field(
      6,
      '*NodeInclusionPolicy',
      'Whether nodes excluded by affinity count: Honor leaves them out (default), Ignore counts.',
    ),
    nodeTaintsPolicy: field(
      7,
      '*NodeInclusionPolicy',
      'Whether tainted nodes count: Honor leaves them out, Ignore counts them (default).',
    ),
    matchLabelKeys: field(8, '[]string', "Pod label keys whose values must equal this Pod's to be counted.", {
      list: 'atomic',
    }),
  }),
  WeightedPodAffinityTerm: message('A Pod term with a weight.', {
    weight: field(1, 'int32', 'Weight, 1 to 100.', { required: true, keep: true }),
    podAffinityTerm: field(2, 'PodAffinityTerm', 'The term that earns the weight.', { required: true, keep: true }),
  }),
} satisfies MessageDeclarations;
