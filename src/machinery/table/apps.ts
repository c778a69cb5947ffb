/** Table cells of the group apps. */
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from '../../api/generated/apps-v1.ts';
import { StatusError } from '../errors/index.ts';
import { formatLabelSelector, labelSelectorAsSelector } from '../selectors/index.ts';
import { age, containerCells, labelsText, nameOf, NONE } from './cell-text.ts';
import type { Cell } from './table-printer.ts';

/** Unlike other kinds, an empty text for an empty selector and the error for an invalid one. */
function deploymentSelector(deployment: Deployment): string {
  try {
    return labelSelectorAsSelector(deployment.spec?.selector).toString();
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
}

export const deploymentCells = (deployment: Deployment, now: number): Cell[] => [
  nameOf(deployment),
  `${deployment.status?.readyReplicas ?? 0}/${deployment.spec?.replicas ?? 0}`,
  deployment.status?.updatedReplicas ?? 0,
  deployment.status?.availableReplicas ?? 0,
  age(deployment, now),
  ...containerCells(deployment.spec?.template?.spec?.containers),
  deploymentSelector(deployment),
];

export const statefulSetCells = (statefulSet: StatefulSet, now: number): Cell[] => [
  nameOf(statefulSet),
  `${statefulSet.status?.readyReplicas ?? 0}/${statefulSet.spec?.replicas ?? 0}`,
  age(statefulSet, now),
  ...containerCells(statefulSet.spec?.template?.spec?.containers),
];

export const daemonSetCells = (daemonSet: DaemonSet, now: number): Cell[] => [
  nameOf(daemonSet),
  daemonSet.status?.desiredNumberScheduled ?? 0,
  daemonSet.status?.currentNumberScheduled ?? 0,
  daemonSet.status?.numberReady ?? 0,
  daemonSet.status?.updatedNumberScheduled ?? 0,
  daemonSet.status?.numberAvailable ?? 0,
  labelsText(daemonSet.spec?.template?.spec?.nodeSelector),
  age(daemonSet, now),
  ...containerCells(daemonSet.spec?.template?.spec?.containers),
  formatLabelSelector(daemonSet.spec?.selector),
];

export const replicaSetCells = (replicaSet: ReplicaSet, now: number): Cell[] => [
  nameOf(replicaSet),
  replicaSet.spec?.replicas ?? 0,
  replicaSet.status?.replicas ?? 0,
  replicaSet.status?.readyReplicas ?? 0,
  age(replicaSet, now),
  ...containerCells(replicaSet.spec?.template?.spec?.containers),
  formatLabelSelector(replicaSet.spec?.selector),
];

export function controllerRevisionCells(revision: ControllerRevision, now: number): Cell[] {
  const owner = (revision.metadata?.ownerReferences ?? []).find((reference) => reference.controller);
  const group = owner?.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
  const controller = owner ? `${`${owner.kind}${group}`.toLowerCase()}/${owner.name}` : NONE;
  return [nameOf(revision), controller, revision.revision, age(revision, now)];
}
