/** ReplicationControllers and PodTemplates. */
import {
  column,
  field,
  listOf,
  message,
  object,
  type KindDeclaration,
  type MessageDeclarations,
} from '../../declare.ts';

export const messages = {
  PodTemplate: object('A stored template for Pods.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    template: field(2, 'PodTemplateSpec', 'The template.'),
  }),
  PodTemplateList: listOf('PodTemplate'),
  PodTemplateSpec: message('What Pods made from a template look like.', {
    metadata: field(1, 'meta.ObjectMeta', 'Labels and annotations of the Pods.'),
    spec: field(2, 'PodSpec', 'Spec of the Pods.'),
  }),
  ReplicationController: object('Keeps a number of equal Pods running; ReplicaSet replaces it.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    spec: field(2, 'ReplicationControllerSpec', 'The desired state, as the user asks for it.'),
    status: field(3, 'ReplicationControllerStatus', 'The observed state, as the system last reported it.'),
  }),
  ReplicationControllerCondition: message("One aspect of the controller's current state.", {
    type: field(1, 'ReplicationControllerConditionType', 'Which condition, such as ReplicaFailure.', {
      required: true,
      keep: true,
    }),
    status: field(2, 'ConditionStatus', 'Whether the condition holds: True, False or Unknown.', {
      required: true,
      keep: true,
    }),
    lastTransitionTime: field(3, 'Time', 'When the status last changed.'),
    reason: field(4, 'string', 'One CamelCase word on why the condition has its status.'),
    message: field(5, 'string', 'Details of the last change, for people to read.'),
  }),
  ReplicationControllerList: listOf('ReplicationController'),
  ReplicationControllerSpec: message('How many Pods to keep, and which.', {
    replicas: field(1, '*int32', 'Wanted number of Pods; default 1.', { default: 1, statesDefault: true }),
    minReadySeconds: field(4, 'int32', 'Seconds for which a Pod must be ready to count as available; default 0.', {
      statesDefault: true,
    }),
    selector: field(2, 'map[string]string', "Labels of the Pods; default the template's labels.", { atomic: true }),
    template: field(3, '*PodTemplateSpec', 'Template for new Pods.'),
  }),
  ReplicationControllerStatus: message('State of the controller; may be somewhat behind.', {
    replicas: field(1, 'int32', 'Number of Pods observed.', { required: true, keep: true }),
    fullyLabeledReplicas: field(2, 'int32', 'Pods that have all labels of the template.'),
    readyReplicas: field(4, 'int32', 'Pods that are ready.'),
    availableReplicas: field(5, 'int32', 'Pods that have been ready for minReadySeconds.'),
    observedGeneration: field(3, 'int64', 'The metadata.generation that this status describes.'),
    conditions: field(6, '[]ReplicationControllerCondition', 'Conditions of the controller.', {
      list: { map: ['type'] },
      patch: 'merge',
      mergeKey: 'type',
    }),
  }),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'PodTemplate',
    plural: 'podtemplates',
    namespaced: true,
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
    namespaced: true,
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
