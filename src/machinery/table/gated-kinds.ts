/** Cells of the kinds whose APIs are off by default. */
import type { StorageVersion } from '../../api/generated/apiserverinternal-v1alpha1.ts';
import type { ClusterTrustBundle, PodCertificateRequest } from '../../api/generated/certificates-v1beta1.ts';
import type { LeaseCandidate } from '../../api/generated/coordination-v1beta1.ts';
import type { DeviceTaintRule, PoolStatus, ResourcePoolStatusRequest } from '../../api/generated/resource-v1alpha3.ts';
import type { PodGroup } from '../../api/generated/scheduling-v1alpha2.ts';
import type { StorageVersionMigration } from '../../api/generated/storagemigration-v1beta1.ts';
import { age, firstFew, labelsText, nameOf, NONE, orNone, since, UNSET } from './cell-text.ts';
import type { Cell } from './table-printer.ts';

export const clusterTrustBundleCells = (bundle: ClusterTrustBundle): Cell[] => [
  nameOf(bundle),
  orNone(bundle.spec?.signerName),
];

const DECISIONS = ['Issued', 'Denied', 'Failed'];

export function podCertificateRequestCells(request: PodCertificateRequest): Cell[] {
  const { spec, status } = request;
  const decided = (status?.conditions ?? []).findLast(({ type }) => DECISIONS.includes(type));
  return [
    nameOf(request),
    spec?.podName ?? '',
    spec?.serviceAccountName ?? '',
    spec?.nodeName ?? '',
    spec?.signerName ?? '',
    decided?.type ?? 'Pending',
    labelsText(spec?.unverifiedUserAnnotations),
  ];
}

export const leaseCandidateCells = (candidate: LeaseCandidate, now: number): Cell[] => [
  nameOf(candidate),
  candidate.spec?.leaseName ?? '',
  candidate.spec?.binaryVersion ?? '',
  candidate.spec?.emulationVersion ?? '',
  age(candidate, now),
];

const SHOWN_SERVERS = 3;

export const storageVersionCells = (version: StorageVersion, now: number): Cell[] => [
  nameOf(version),
  version.status?.commonEncodingVersion ?? UNSET,
  firstFew(
    (version.status?.storageVersions ?? []).map((server) => `${server.apiServerID}=${server.encodingVersion}`),
    SHOWN_SERVERS,
  ) || UNSET,
  age(version, now),
];

const PHASES = ['Running', 'Failed', 'Succeeded'];

export function storageVersionMigrationCells(migration: StorageVersionMigration): Cell[] {
  const { group, resource } = migration.spec?.resource ?? { group: '', resource: '' };
  const phase = (migration.status?.conditions ?? []).findLast(
    ({ type, status }) => status === 'True' && PHASES.includes(type),
  );
  return [nameOf(migration), group ? `${resource}.${group}` : resource, phase?.type ?? 'Unknown'];
}

export function podGroupCells(group: PodGroup, now: number): Cell[] {
  const condition = (type: string) => group.status?.conditions?.findLast((one) => one.type === type);
  const scheduled = condition('PodGroupScheduled');
  const state = !scheduled ? 'Pending' : scheduled.status === 'True' ? 'Scheduled' : 'Unschedulable';
  return [
    nameOf(group),
    group.spec?.schedulingPolicy?.gang ? 'Gang' : 'Basic',
    group.spec?.podGroupTemplateRef?.workload?.workloadName ?? NONE,
    condition('DisruptionTarget')?.reason ?? state,
    age(group, now),
  ];
}

export function deviceTaintRuleCells(rule: DeviceTaintRule, now: number): Cell[] {
  const taint = rule.spec?.taint;
  const added = taint?.timeAdded ? since(taint.timeAdded, now) : '';
  return [nameOf(rule), taint?.key ?? '', taint?.value ?? '', taint?.effect ?? '', added, age(rule, now)];
}

export function resourcePoolStatusRequestCells(request: ResourcePoolStatusRequest, now: number): Cell[] {
  const { spec, status } = request;
  const decided = status?.conditions?.find(
    ({ type, status: value }) => value === 'True' && (type === 'Complete' || type === 'Failed'),
  );
  const pools = status?.pools ?? [];
  const count = status?.poolCount ?? 0;
  const cut = decided?.type === 'Complete' && count > pools.length ? ` (${pools.length}/${count} pools)` : '';
  const known = status !== undefined && decided?.type !== 'Failed';
  const sum = (of: (pool: PoolStatus) => number): string =>
    known ? String(pools.reduce((total, pool) => total + of(pool), 0)) : '-';
  return [
    nameOf(request),
    spec?.driver ?? '',
    sum(({ totalDevices }) => totalDevices ?? 0),
    sum(({ availableDevices }) => availableDevices ?? 0),
    sum(({ allocatedDevices }) => allocatedDevices ?? 0),
    sum(({ unavailableDevices }) => unavailableDevices ?? 0),
    sum(({ validationError }) => (validationError == null ? 0 : 1)),
    count,
    decided ? `${decided.type}${cut}` : 'Pending',
    decided?.type === 'Complete' ? since(decided.lastTransitionTime, now) : NONE,
  ];
}
