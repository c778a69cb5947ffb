/** Table cells of the group storage.k8s.io. */
import type {
  CSIDriver,
  CSINode,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '../../api/generated/storage-v1.ts';
import { ownValue } from '../../base/index.ts';
import { age, nameOf, NONE, UNSET } from './cell-text.ts';
import type { Cell } from './table-printer.ts';

const DEFAULT_CLASS_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];
const DEFAULT_ATTRIBUTES_CLASS_ANNOTATION = 'volumeattributesclass.alpha.kubernetes.io/is-default-class';

function nameWithDefault(object: StorageClass | VolumeAttributesClass, annotations: readonly string[]): string {
  const isDefault = annotations.some((annotation) => ownValue(object.metadata?.annotations, annotation) === 'true');
  return isDefault ? `${nameOf(object)} (default)` : nameOf(object);
}

export const storageClassCells = (storageClass: StorageClass, now: number): Cell[] => [
  nameWithDefault(storageClass, DEFAULT_CLASS_ANNOTATIONS),
  storageClass.provisioner,
  storageClass.reclaimPolicy ?? 'Delete',
  storageClass.volumeBindingMode ?? 'Immediate',
  storageClass.allowVolumeExpansion ?? false,
  age(storageClass, now),
];

export const volumeAttributesClassCells = (attributesClass: VolumeAttributesClass, now: number): Cell[] => [
  nameWithDefault(attributesClass, [DEFAULT_ATTRIBUTES_CLASS_ANNOTATION]),
  attributesClass.driverName,
  age(attributesClass, now),
];

export function csiDriverCells(driver: CSIDriver, now: number): Cell[] {
  const { spec } = driver;
  const tokenRequests = (spec?.tokenRequests ?? []).map((request) => request.audience);
  return [
    nameOf(driver),
    spec?.attachRequired ?? true,
    spec?.podInfoOnMount ?? false,
    spec?.storageCapacity ?? false,
    tokenRequests.length > 0 ? tokenRequests.join(',') : UNSET,
    spec?.requiresRepublish ?? false,
    (spec?.volumeLifecycleModes ?? []).join(',') || NONE,
    age(driver, now),
  ];
}

export const csiNodeCells = (node: CSINode, now: number): Cell[] => [
  nameOf(node),
  (node.spec?.drivers ?? []).length,
  age(node, now),
];

export const volumeAttachmentCells = (attachment: VolumeAttachment, now: number): Cell[] => [
  nameOf(attachment),
  attachment.spec?.attacher ?? '',
  attachment.spec?.source?.persistentVolumeName ?? '',
  attachment.spec?.nodeName ?? '',
  attachment.status?.attached ?? false,
  age(attachment, now),
];
