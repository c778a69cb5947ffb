/** PersistentVolumes and the claims on them. */
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
  ModifyVolumeStatus: message("How a change of a volume's attributes class gets along.", {
    targetVolumeAttributesClassName: field(1, 'string', 'Class that is being applied.'),
    status: field(2, 'PersistentVolumeClaimModifyVolumeStatus', 'Pending, InProgress or Infeasible.', {
      required: true,
      keep: true,
    }),
  }),
  PersistentVolume: object('Storage of the cluster that Pods can claim.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    spec: field(2, 'PersistentVolumeSpec', 'The desired state, as the user asks for it.'),
    status: field(3, 'PersistentVolumeStatus', 'The observed state, as the system last reported it.'),
  }),
  PersistentVolumeClaim: object('A request for storage, bound to one PersistentVolume.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    spec: field(2, 'PersistentVolumeClaimSpec', 'The desired state, as the user asks for it.'),
    status: field(3, 'PersistentVolumeClaimStatus', 'The observed state, as the system last reported it.'),
  }),
  PersistentVolumeClaimCondition: message("One aspect of the claim's current state.", {
    type: field(
      1,
      'PersistentVolumeClaimConditionType',
      'Which condition, such as Resizing or FileSystemResizePending.',
      { required: true, keep: true },
    ),
    status: field(2, 'ConditionStatus', 'Whether the condition holds: True, False or Unknown.', {
      required: true,
      keep: true,
    }),
    lastProbeTime: field(3, 'Time', 'When the condition was last checked.'),
    lastTransitionTime: field(4, 'Time', 'When the status last changed.'),
    reason: field(5, 'string', 'One CamelCase word on why the condition has its status.'),
    message: field(6, 'string', 'Details of the last change, for people to read.'),
  }),
  PersistentVolumeClaimList: listOf('PersistentVolumeClaim'),
  PersistentVolumeClaimSpec: message('What storage is wanted.', {
    accessModes: field(
      1,
      '[]PersistentVolumeAccessMode',
      'How the volume is used: ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.',
      { list: 'atomic' },
    ),
    selector: field(4, '*meta.LabelSelector', 'Labels of volumes that may be bound.'),
    resources: field(2, 'VolumeResourceRequirements', 'Least and most storage wanted.'),
    volumeName: field(3, 'string', 'The PersistentVolume bound to the claim.'),
    storageClassName: field(5, '*string', 'StorageClass to use; unset for the default class, "" for none.'),
    volumeMode: field(6, '*PersistentVolumeMode', 'Filesystem (default) or Block.', { default: 'Filesystem' }),
    dataSource: field(7, '*TypedLocalObjectReference', 'Snapshot or claim to copy the contents from.'),
    dataSourceRef: field(
      8,
      '*TypedObjectReference',
      "Object of any kind to fill the volume from; dataSource's successor.",
    ),
    volumeAttributesClassName: field(9, '*string', 'VolumeAttributesClass that tunes the volume; may be changed.', {
      gate: 'VolumeAttributesClass',
    }),
  }),
  PersistentVolumeClaimStatus: message('State of a claim.', {
    phase: field(1, 'PersistentVolumeClaimPhase', 'Pending, Bound or Lost.', { default: 'Pending' }),
    accessModes: field(2, '[]PersistentVolumeAccessMode', 'Access modes of the bound volume.', { list: 'atomic' }),
    capacity: field(3, 'map[string]Quantity', 'Size of the bound volume.'),
    conditions: field(
      4,
      '[]PersistentVolumeClaimCondition',
      'Conditions of the claim; Resizing while the volume grows.',
      { list: { map: ['type'] }, patch: 'merge', mergeKey: 'type' },
    ),
    allocatedResources: field(5, 'map[string]Quantity', 'Storage that is being provided, including a pending growth.'),
    allocatedResourceStatuses: field(7, 'map[string]ClaimResourceStatus', 'How growing each resource gets along.', {
      keyType: 'v1.ResourceName',
      granular: true,
    }),
    currentVolumeAttributesClassName: field(8, '*string', 'VolumeAttributesClass in force.', {
      gate: 'VolumeAttributesClass',
    }),
    modifyVolumeStatus: field(9, '*ModifyVolumeStatus', 'How a change of attributes class gets along.', {
      gate: 'VolumeAttributesClass',
    }),
  }),
  PersistentVolumeClaimTemplate: message('Template of a claim for an ephemeral volume.', {
    metadata: field(1, 'meta.ObjectMeta', 'Labels and annotations of the claim.', { distinguishesEmpty: true }),
    spec: field(2, 'PersistentVolumeClaimSpec', 'Spec of the claim.', { required: true, keep: true }),
  }),
  PersistentVolumeList: listOf('PersistentVolume'),
  PersistentVolumeSpec: message('The storage and how it may be used.', {
    capacity: field(1, 'map[string]Quantity', 'Size of the volume.', { distinguishesEmpty: true }),
    persistentVolumeSource: field(2, 'PersistentVolumeSource', 'The storage behind the volume.', { inline: true }),
    accessModes: field(3, '[]PersistentVolumeAccessMode', 'All ways in which the volume can be used.', {
      list: 'atomic',
    }),
    claimRef: field(4, '*ObjectReference', 'The claim that the volume is bound to.', { granular: true }),
    persistentVolumeReclaimPolicy: field(
      5,
      'PersistentVolumeReclaimPolicy',
      "What follows the claim's end: Retain (default), Delete or Recycle.",
      { default: 'Retain' },
    ),
    storageClassName: field(6, 'string', 'StorageClass of the volume; "" for none.'),
    mountOptions: field(7, '[]string', 'Mount options, not checked.', { list: 'atomic' }),
    volumeMode: field(8, '*PersistentVolumeMode', 'Filesystem (default) or Block.', { default: 'Filesystem' }),
    nodeAffinity: field(9, '*VolumeNodeAffinity', 'Nodes from which the volume can be reached.'),
    volumeAttributesClassName: field(10, '*string', 'VolumeAttributesClass of the volume.', {
      gate: 'VolumeAttributesClass',
    }),
  }),
  PersistentVolumeStatus: message('State of a volume.', {
    phase: field(1, 'PersistentVolumePhase', 'Pending, Available, Bound, Released or Failed.', { default: 'Pending' }),
    message: field(2, 'string', 'Why the volume is in this state, for people to read.'),
    reason: field(3, 'string', 'Why the volume is in this state, in one CamelCase word.'),
    lastPhaseTransitionTime: field(4, '*Time', 'When the phase last changed.'),
  }),
  TypedObjectReference: message('An object by kind, name and namespace.', {
    apiGroup: field(1, '*string', 'API group of the object; unset for the core group.', { keep: true }),
    kind: field(2, 'string', 'Kind of the object.', { required: true, keep: true }),
    name: field(3, 'string', 'Name of the object.', { required: true, keep: true }),
    namespace: field(4, '*string', 'Namespace of the object; needs a ReferenceGrant there.', {
      gate: 'CrossNamespaceVolumeDataSource',
    }),
  }),
  VolumeResourceRequirements: message('Least and most storage wanted.', {
    limits: field(1, 'map[string]Quantity', 'Most storage wanted.'),
    requests: field(2, 'map[string]Quantity', 'Least storage wanted; default the limits.'),
  }),
} satisfies MessageDeclarations;

export const kinds: readonly KindDeclaration[] = [
  {
    kind: 'PersistentVolumeClaim',
    plural: 'persistentvolumeclaims',
    namespaced: true,
    shortNames: ['pvc'],
    subresources: {
      status: { verbs: ['get', 'patch', 'update'] },
    },
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Status', 'string'),
      column('Volume', 'string'),
      column('Capacity', 'string'),
      column('Access Modes', 'string'),
      column('StorageClass', 'string'),
      column('VolumeAttributesClass', 'string'),
      column('Age', 'string'),
      column('VolumeMode', 'string', 1),
    ],
  },
  {
    kind: 'PersistentVolume',
    plural: 'persistentvolumes',
    namespaced: false,
    shortNames: ['pv'],
    subresources: {
      status: { verbs: ['get', 'patch', 'update'] },
    },
    columns: [
      column('Name', 'string', 0, 'name'),
      column('Capacity', 'string'),
      column('Access Modes', 'string'),
      column('Reclaim Policy', 'string'),
      column('Status', 'string'),
      column('Claim', 'string'),
      column('StorageClass', 'string'),
      column('VolumeAttributesClass', 'string'),
      column('Reason', 'string'),
      column('Age', 'string'),
      column('VolumeMode', 'string', 1),
    ],
  },
];
