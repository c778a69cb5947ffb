/** ReplicationControllers and PodTemplates. */
import { column, field, listOf, message, object, type KindDeclaration, type MessageDeclarations } from '../../declare.ts';

export const messages = {
  PodTemplate: object('', {
    metadata: field(1, 'meta.ObjectMeta', ''),
    template: field(2, 'PodTemplateSpec', ''),
  }),
  PodTemplateList: listOf('PodTemplate'),
  PodTemplateSpec: message('', {
    metadata: field(1, 'meta.ObjectMeta', ''),
    spec: field(2, 'PodSpec', ''),
  }),
  ReplicationController: object('', {
    metadata: field(1, 'meta.ObjectMeta', ''),
    spec: field(2, 'ReplicationControllerSpec', ''),
    status: field(3, 'ReplicationControllerStatus', ''),
  }),
  ReplicationControllerCondition: message('', {
    type: field(1, 'ReplicationControllerConditionType', '', { required: true, keep: true }),
    status: field(2, 'ConditionStatus', '', { required: true, keep: true }),
    lastTransitionTime: field(3, 'Time', ''),
    reason: field(4, 'string', ''),
    message: field(5, 'string', ''),
  }),
  ReplicationControllerList: listOf('ReplicationController'),
  ReplicationControllerSpec: message('', {
    replicas: field(1, '*int32', ''),
    minReadySeconds: field(4, 'int32', ''),
    selector: field(2, 'map[string]string', '', { atomic: true }),
    template: field(3, '*PodTemplateSpec', ''),
  }),
  ReplicationControllerStatus: message('', {
    replicas: field(1, 'int32', '', { required: true, keep: true }),
    fullyLabeledReplicas: field(2, 'int32', ''),
    readyReplicas: field(4, 'int32', ''),
    availableReplicas: field(5, 'int32', ''),
    observedGeneration: field(3, 'int64', ''),
    conditions: field(6, '[]ReplicationControllerCondition', '', { list: { map: ['type'] }, patch: 'merge', mergeKey: 'type' }),
  }),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'PodTemplate',
    plural: 'podtemplates',
    singular: 'podtemplate',
    namespaced: true,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Containers', 'string'),
      column('Images', 'string'),
      column('Pod Labels', 'string'),
    ],
  },
  {
    kind: 'ReplicationController',
    plural: 'replicationcontrollers',
    singular: 'replicationcontroller',
    namespaced: true,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    shortNames: ['rc'],
    categories: ['all'],
    subresources: {
      scale: { verbs: ['get', 'patch', 'update'], kind: 'autoscaling/v1.Scale' },
      status: { verbs: ['get', 'patch', 'update'] },
    },
    selectableFields: {
      'status.replicas': 'status.replicas',
    },
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Desired', 'integer'),
      column('Current', 'integer'),
      column('Ready', 'integer'),
      column('Age', 'string'),
      column('Containers', 'string', 1),
      column('Images', 'string', 1),
      column('Selector', 'string', 1),
    ],
  },
];
