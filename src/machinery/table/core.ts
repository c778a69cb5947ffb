/** Table cells of the core group, except pods, services and events. */
import type {
  ComponentStatus,
  ConfigMap,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  ReplicationController,
  ResourceQuota,
  Secret,
  ServiceAccount,
} from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';
import { accessModesText, age, containerCells, labelsText, nameOf, NONE, UNKNOWN, UNSET } from './cell-text.ts';
import type { Cell } from './table-printer.ts';

export function componentStatusCells(component: ComponentStatus): Cell[] {
  const healthy = (component.conditions ?? []).find((condition) => condition.type === 'Healthy');
  const status = healthy ? (healthy.status === 'True' ? 'Healthy' : 'Unhealthy') : 'Unknown';
  return [nameOf(component), status, healthy?.message ?? '', healthy?.error ?? ''];
}

export const configMapCells = (configMap: ConfigMap, now: number): Cell[] => [
  nameOf(configMap),
  Object.keys(configMap.data ?? {}).length + Object.keys(configMap.binaryData ?? {}).length,
  age(configMap, now),
];

export const secretCells = (secret: Secret, now: number): Cell[] => [
  nameOf(secret),
  secret.type ?? '',
  Object.keys(secret.data ?? {}).length,
  age(secret, now),
];

export const serviceAccountCells = (account: ServiceAccount, now: number): Cell[] => [
  nameOf(account),
  age(account, now),
];

export const namespaceCells = (namespace: Namespace, now: number): Cell[] => [
  nameOf(namespace),
  namespace.status?.phase ?? '',
  age(namespace, now),
];

const ROLE_LABEL_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

function nodeRoles(node: Node): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(node.metadata?.labels ?? {})) {
    if (key.startsWith(ROLE_LABEL_PREFIX) && key.length > ROLE_LABEL_PREFIX.length)
      roles.add(key.slice(ROLE_LABEL_PREFIX.length));
    else if (key === ROLE_LABEL && value !== '') roles.add(value);
  }
  return [...roles].sort().join(',') || NONE;
}

function nodeStatus(node: Node): string {
  const ready = (node.status?.conditions ?? []).find((condition) => condition.type === 'Ready');
  const status = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return node.spec?.unschedulable ? `${status},SchedulingDisabled` : status;
}

const nodeAddress = (node: Node, type: string): string =>
  (node.status?.addresses ?? []).find((address) => address.type === type)?.address ?? NONE;

export function nodeCells(node: Node, now: number): Cell[] {
  const info = node.status?.nodeInfo;
  return [
    nameOf(node),
    nodeStatus(node),
    nodeRoles(node),
    age(node, now),
    info?.kubeletVersion ?? '',
    nodeAddress(node, 'InternalIP'),
    nodeAddress(node, 'ExternalIP'),
    info?.osImage || UNKNOWN,
    (info?.kernelVersion || UNKNOWN) + (info?.architecture ? ` (${info.architecture})` : ''),
    info?.containerRuntimeVersion || UNKNOWN,
  ];
}

const STORAGE_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

const storageClassOf = (object: PersistentVolume | PersistentVolumeClaim): string =>
  object.metadata?.annotations?.[STORAGE_CLASS_ANNOTATION] ?? object.spec?.storageClassName ?? '';

const phaseOf = (object: PersistentVolume | PersistentVolumeClaim): string =>
  object.metadata?.deletionTimestamp ? 'Terminating' : (object.status?.phase ?? '');

export function persistentVolumeCells(volume: PersistentVolume, now: number): Cell[] {
  const { spec } = volume;
  const claim = spec?.claimRef;
  return [
    nameOf(volume),
    spec?.capacity?.['storage'] ?? '0',
    accessModesText(spec?.accessModes),
    spec?.persistentVolumeReclaimPolicy ?? '',
    phaseOf(volume),
    claim ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '',
    storageClassOf(volume),
    spec?.volumeAttributesClassName ?? UNSET,
    volume.status?.reason ?? '',
    age(volume, now),
    spec?.volumeMode ?? UNSET,
  ];
}

export function persistentVolumeClaimCells(claim: PersistentVolumeClaim, now: number): Cell[] {
  const { spec, status } = claim;
  const hasVolume = (spec?.volumeName ?? '') !== '';
  return [
    nameOf(claim),
    phaseOf(claim),
    spec?.volumeName ?? '',
    hasVolume ? (status?.capacity?.['storage'] ?? '0') : '',
    hasVolume ? accessModesText(status?.accessModes) : '',
    storageClassOf(claim),
    spec?.volumeAttributesClassName ?? UNSET,
    age(claim, now),
    spec?.volumeMode ?? UNSET,
  ];
}

export const replicationControllerCells = (controller: ReplicationController, now: number): Cell[] => [
  nameOf(controller),
  controller.spec?.replicas ?? 0,
  controller.status?.replicas ?? 0,
  controller.status?.readyReplicas ?? 0,
  age(controller, now),
  ...containerCells(controller.spec?.template?.spec?.containers),
  labelsText(controller.spec?.selector),
];

export function resourceQuotaCells(quota: ResourceQuota, now: number): Cell[] {
  const requests: string[] = [];
  const limits: string[] = [];
  const hard = quota.status?.hard ?? {};
  for (const resource of Object.keys(hard).sort()) {
    const column = resource.startsWith('limits.') ? limits : requests;
    column.push(`${resource}: ${ownValue(quota.status?.used, resource) ?? '0'}/${hard[resource]}`);
  }
  return [nameOf(quota), requests.join(', '), limits.join(', '), age(quota, now)];
}
