/** The storage.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const storageV1: PackageDeclaration = {
  alias: 'storage',
  group: 'storage.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.storage.v1',
  strings: {
    FSGroupPolicy: ['ReadWriteOnceWithFSType', 'File', 'None'],
    VolumeBindingMode: ['Immediate', 'WaitForFirstConsumer'],
    VolumeLifecycleMode: ['Persistent', 'Ephemeral'],
  },
  messages: {
    CSIDriver: object('A CSI driver and what it needs from the cluster.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'CSIDriverSpec', 'The desired state, as the user asks for it.', { required: true, keep: true }),
    }),
    CSIDriverList: listOf('CSIDriver'),
    CSIDriverSpec: message('What a CSI driver needs and can do.', {
      attachRequired: field(1, '*bool', 'Whether volumes must be attached before mounting; default true; fixed.', {
        default: true,
      }),
      podInfoOnMount: field(2, '*bool', "Whether the Pod's name and so on are passed on mount; default false.", {
        default: false,
      }),
      volumeLifecycleModes: field(3, '[]VolumeLifecycleMode', 'Persistent (default), Ephemeral or both; fixed.', {
        list: 'set',
      }),
      storageCapacity: field(
        4,
        '*bool',
        'Whether scheduling looks at the capacity the driver reports; default false.',
        { default: false },
      ),
      fsGroupPolicy: field(5, '*FSGroupPolicy', 'Ownership changes: ReadWriteOnceWithFSType (default), File or None.', {
        default: 'ReadWriteOnceWithFSType',
      }),
      tokenRequests: field(6, '[]TokenRequest', 'ServiceAccount tokens that the driver needs on mount.', {
        list: 'atomic',
      }),
      requiresRepublish: field(7, '*bool', 'Whether mounts are repeated regularly, to pass changes; default false.', {
        default: false,
      }),
      seLinuxMount: field(8, '*bool', 'Whether the driver can mount with an SELinux context; default false.', {
        gate: 'SELinuxMountReadWriteOncePod',
        default: false,
      }),
      nodeAllocatableUpdatePeriodSeconds: field(
        9,
        '*int64',
        "Seconds between updates of the nodes' volume limits; at least 10.",
        { gate: 'MutableCSINodeAllocatableCount' },
      ),
      serviceAccountTokenInSecrets: field(
        10,
        '*bool',
        'Pass tokens as secrets, not in the volume context; default false.',
        { gate: 'CSIServiceAccountTokenSecrets' },
      ),
      preventPodSchedulingIfMissing: field(11, '*bool', 'Keep Pods off nodes that lack the driver; default false.', {
        gate: 'VolumeLimitScaling',
      }),
    }),
    CSINode: object('The CSI drivers of a node.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'CSINodeSpec', 'The desired state, as the user asks for it.', { required: true, keep: true }),
    }),
    CSINodeDriver: message('A CSI driver on a node.', {
      name: field(1, 'string', 'Name of the driver.', { required: true, keep: true }),
      nodeID: field(2, 'string', 'Name of the node, as the driver knows it.', { required: true, keep: true }),
      topologyKeys: field(3, '[]string', 'Node labels that the driver uses for topology.', {
        keep: true,
        list: 'atomic',
      }),
      allocatable: field(4, '*VolumeNodeResources', 'How many volumes the driver can serve on the node.'),
    }),
    CSINodeList: listOf('CSINode'),
    CSINodeSpec: message('The CSI drivers of a node.', {
      drivers: field(1, '[]CSINodeDriver', 'The drivers.', {
        required: true,
        keep: true,
        list: { map: ['name'] },
        patch: 'merge',
        mergeKey: 'name',
      }),
    }),
    CSIStorageCapacity: object('Space for new volumes of one class in one part of the cluster.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      nodeTopology: field(2, '*meta.LabelSelector', 'Nodes for which it holds; unset for none, empty for all.'),
      storageClassName: field(3, 'string', 'The StorageClass; fixed.', { required: true, keep: true }),
      capacity: field(4, '*Quantity', 'Space that is left; unset if not known.'),
      maximumVolumeSize: field(5, '*Quantity', 'Largest volume that can be made.'),
    }),
    CSIStorageCapacityList: listOf('CSIStorageCapacity'),
    StorageClass: object('How volumes of a class are made.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      provisioner: field(2, 'string', 'Who makes the volumes, such as a CSI driver.', { required: true, keep: true }),
      parameters: field(3, 'map[string]string', 'Settings for the provisioner.'),
      reclaimPolicy: field(
        4,
        '*core.PersistentVolumeReclaimPolicy',
        'Policy of the volumes: Delete (default) or Retain.',
        { default: 'Delete' },
      ),
      mountOptions: field(5, '[]string', 'Mount options of the volumes, not checked.', { list: 'atomic' }),
      allowVolumeExpansion: field(6, '*bool', 'Whether volumes of the class can grow.'),
      volumeBindingMode: field(7, '*VolumeBindingMode', 'Immediate (default) or WaitForFirstConsumer.', {
        default: 'Immediate',
      }),
      allowedTopologies: field(8, '[]core.TopologySelectorTerm', 'Where volumes may be made; empty for anywhere.', {
        list: 'atomic',
      }),
    }),
    StorageClassList: listOf('StorageClass'),
    TokenRequest: message('A ServiceAccount token that a driver needs.', {
      audience: field(1, 'string', 'Audience of the token; "" for the API server.', { required: true, keep: true }),
      expirationSeconds: field(2, '*int64', 'Lifetime of the token in seconds; default 3600.'),
    }),
    VolumeAttachment: object('Attaches a volume to a node.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'VolumeAttachmentSpec', 'The desired state, as the user asks for it.', {
        required: true,
        keep: true,
      }),
      status: field(3, 'VolumeAttachmentStatus', 'The observed state, as the system last reported it.'),
    }),
    VolumeAttachmentList: listOf('VolumeAttachment'),
    VolumeAttachmentSource: message('The volume to attach; exactly one member.', {
      persistentVolumeName: field(1, '*string', 'Name of the PersistentVolume.'),
      inlineVolumeSpec: field(
        2,
        '*core.PersistentVolumeSpec',
        'A volume written in place, for migrated in-tree volumes.',
      ),
    }),
    VolumeAttachmentSpec: message('Which volume is attached where, and by whom.', {
      attacher: field(1, 'string', 'Name of the CSI driver that attaches.', { required: true, keep: true }),
      source: field(2, 'VolumeAttachmentSource', 'The volume.', { required: true, keep: true }),
      nodeName: field(3, 'string', 'The node.', { required: true, keep: true }),
    }),
    VolumeAttachmentStatus: message('State of an attachment.', {
      attached: field(1, 'bool', 'Whether the volume is attached.', { required: true, keep: true }),
      attachmentMetadata: field(2, 'map[string]string', 'Information from the attacher, for mounting.'),
      attachError: field(3, '*VolumeError', 'Last error while attaching.'),
      detachError: field(4, '*VolumeError', 'Last error while detaching.'),
    }),
    VolumeAttributesClass: object('Settings of volumes that can be changed later.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      driverName: field(2, 'string', 'Name of the CSI driver; fixed.', { required: true, keep: true }),
      parameters: field(3, 'map[string]string', 'Settings for the driver; fixed.'),
    }),
    VolumeAttributesClassList: listOf('VolumeAttributesClass'),
    VolumeError: message('An error of a volume operation.', {
      time: field(1, 'Time', 'When it occurred.'),
      message: field(2, 'string', 'The error; may be logged, so it holds no secrets.'),
      errorCode: field(3, '*int32', 'gRPC code of the error, if there is one.', {
        gate: 'MutableCSINodeAllocatableCount',
      }),
    }),
    VolumeNodeResources: message('How many volumes a driver can serve on a node.', {
      count: field(1, '*int32', 'Most volumes at once; unset for no limit.'),
    }),
  },
  kinds: [
    {
      kind: 'CSIDriver',
      plural: 'csidrivers',
      namespaced: false,
      columns: [
        column('Name', 'string', 0, 'name'),
        column('AttachRequired', 'boolean'),
        column('PodInfoOnMount', 'boolean'),
        column('StorageCapacity', 'boolean'),
        column('TokenRequests', 'string'),
        column('RequiresRepublish', 'boolean'),
        column('Modes', 'string'),
        column('Age', 'string'),
      ],
    },
    {
      kind: 'CSINode',
      plural: 'csinodes',
      namespaced: false,
      columns: [column('Name', 'string', 0, 'name'), column('Drivers', 'integer'), column('Age', 'string')],
    },
    {
      kind: 'CSIStorageCapacity',
      plural: 'csistoragecapacities',
      namespaced: true,
      columns: [column('Name', 'string', 0, 'name'), column('Created At', 'date')],
    },
    {
      kind: 'StorageClass',
      plural: 'storageclasses',
      namespaced: false,
      shortNames: ['sc'],
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Provisioner', 'string'),
        column('ReclaimPolicy', 'string'),
        column('VolumeBindingMode', 'string'),
        column('AllowVolumeExpansion', 'string'),
        column('Age', 'string'),
      ],
    },
    {
      kind: 'VolumeAttachment',
      plural: 'volumeattachments',
      namespaced: false,
      subresources: {
        status: { verbs: ['get', 'patch', 'update'] },
      },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Attacher', 'string', 0, 'name'),
        column('PV', 'string'),
        column('Node', 'string'),
        column('Attached', 'boolean'),
        column('Age', 'string'),
      ],
    },
    {
      kind: 'VolumeAttributesClass',
      plural: 'volumeattributesclasses',
      namespaced: false,
      shortNames: ['vac'],
      columns: [column('Name', 'string', 0, 'name'), column('DriverName', 'string'), column('Age', 'string')],
    },
  ],
};
