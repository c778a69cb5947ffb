/** Where pods may run: affinity, node selectors, tolerations, topology spread. */
import { field, message, type MessageDeclarations } from '../../declare.ts';

export const messages = {
  Affinity: message('', {
    nodeAffinity: field(1, '*NodeAffinity', ''),
    podAffinity: field(2, '*PodAffinity', ''),
    podAntiAffinity: field(3, '*PodAntiAffinity', ''),
  }),
  NodeAffinity: message('', {
    requiredDuringSchedulingIgnoredDuringExecution: field(1, '*NodeSelector', ''),
    preferredDuringSchedulingIgnoredDuringExecution: field(2, '[]PreferredSchedulingTerm', '', { list: 'atomic' }),
  }),
  NodeSelector: message('', {
    nodeSelectorTerms: field(1, '[]NodeSelectorTerm', '', { required: true, keep: true, list: 'atomic' }),
  }, { atomic: true }),
  NodeSelectorRequirement: message('', {
    key: field(1, 'string', '', { required: true, keep: true }),
    operator: field(2, 'NodeSelectorOperator', '', { required: true, keep: true }),
    values: field(3, '[]string', '', { list: 'atomic' }),
  }),
  NodeSelectorTerm: message('', {
    matchExpressions: field(1, '[]NodeSelectorRequirement', '', { list: 'atomic' }),
    matchFields: field(2, '[]NodeSelectorRequirement', '', { list: 'atomic' }),
  }, { atomic: true }),
  PodAffinity: message('', {
    requiredDuringSchedulingIgnoredDuringExecution: field(1, '[]PodAffinityTerm', '', { list: 'atomic' }),
    preferredDuringSchedulingIgnoredDuringExecution: field(2, '[]WeightedPodAffinityTerm', '', { list: 'atomic' }),
  }),
  PodAffinityTerm: message('', {
    labelSelector: field(1, '*meta.LabelSelector', ''),
    namespaces: field(2, '[]string', '', { list: 'atomic' }),
    topologyKey: field(3, 'string', '', { required: true, keep: true }),
    namespaceSelector: field(4, '*meta.LabelSelector', ''),
    matchLabelKeys: field(5, '[]string', '', { list: 'atomic' }),
    mismatchLabelKeys: field(6, '[]string', '', { list: 'atomic' }),
  }),
  PodAntiAffinity: message('', {
    requiredDuringSchedulingIgnoredDuringExecution: field(1, '[]PodAffinityTerm', '', { list: 'atomic' }),
    preferredDuringSchedulingIgnoredDuringExecution: field(2, '[]WeightedPodAffinityTerm', '', { list: 'atomic' }),
  }),
  PreferredSchedulingTerm: message('', {
    weight: field(1, 'int32', '', { required: true, keep: true }),
    preference: field(2, 'NodeSelectorTerm', '', { required: true, keep: true }),
  }),
  ScopeSelector: message('', {
    matchExpressions: field(1, '[]ScopedResourceSelectorRequirement', '', { list: 'atomic' }),
  }, { atomic: true }),
  ScopedResourceSelectorRequirement: message('', {
    scopeName: field(1, 'ResourceQuotaScope', '', { required: true, keep: true }),
    operator: field(2, 'ScopeSelectorOperator', '', { required: true, keep: true }),
    values: field(3, '[]string', '', { list: 'atomic' }),
  }),
  Toleration: message('', {
    key: field(1, 'string', ''),
    operator: field(2, 'TolerationOperator', ''),
    value: field(3, 'string', ''),
    effect: field(4, 'TaintEffect', ''),
    tolerationSeconds: field(5, '*int64', ''),
  }),
  TopologySelectorLabelRequirement: message('', {
    key: field(1, 'string', '', { required: true, keep: true }),
    values: field(2, '[]string', '', { required: true, keep: true, list: 'atomic' }),
  }),
  TopologySelectorTerm: message('', {
    matchLabelExpressions: field(1, '[]TopologySelectorLabelRequirement', '', { list: 'atomic' }),
  }, { atomic: true }),
  TopologySpreadConstraint: message('', {
    maxSkew: field(1, 'int32', '', { required: true, keep: true }),
    topologyKey: field(2, 'string', '', { required: true, keep: true }),
    whenUnsatisfiable: field(3, 'UnsatisfiableConstraintAction', '', { required: true, keep: true }),
    labelSelector: field(4, '*meta.LabelSelector', ''),
    minDomains: field(5, '*int32', ''),
    nodeAffinityPolicy: field(6, '*NodeInclusionPolicy', ''),
    nodeTaintsPolicy: field(7, '*NodeInclusionPolicy', ''),
    matchLabelKeys: field(8, '[]string', '', { list: 'atomic' }),
  }),
  WeightedPodAffinityTerm: message('', {
    weight: field(1, 'int32', '', { required: true, keep: true }),
    podAffinityTerm: field(2, 'PodAffinityTerm', '', { required: true, keep: true }),
  }),
} satisfies MessageDeclarations;
