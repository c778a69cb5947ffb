/** Table cells of the groups that have one or two kinds. */
import type { APIService } from '../../api/generated/apiregistration-v1.ts';
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import type { Lease } from '../../api/generated/coordination-v1.ts';
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/generated/flowcontrol-v1.ts';
import type { RuntimeClass } from '../../api/generated/node-v1.ts';
import type { PodDisruptionBudget } from '../../api/generated/policy-v1.ts';
import type { ClusterRoleBinding, RoleBinding } from '../../api/generated/rbac-v1.ts';
import type {
  DeviceClass,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../../api/generated/resource-v1.ts';
import type { PriorityClass } from '../../api/generated/scheduling-v1.ts';
import { humanDuration } from '../../base/index.ts';
import { age, nameOf, NONE } from './cell-text.ts';
import type { Cell } from './table-printer.ts';

export function apiServiceCells(apiService: APIService, now: number): Cell[] {
  const service = apiService.spec?.service;
  const available = (apiService.status?.conditions ?? []).find((condition) => condition.type === 'Available');
  const status = available?.status ?? 'Unknown';
  return [
    nameOf(apiService),
    service ? `${service.namespace ?? ''}/${service.name ?? ''}` : 'Local',
    available && status !== 'True' ? `${status} (${available.reason ?? ''})` : status,
    age(apiService, now),
  ];
}

export function certificateSigningRequestCells(request: CertificateSigningRequest, now: number): Cell[] {
  const has = (type: string) => (request.status?.conditions ?? []).some((condition) => condition.type === type);
  const states = [has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending'];
  if (has('Failed')) states.push('Failed');
  if (request.status?.certificate) states.push('Issued');
  const seconds = request.spec?.expirationSeconds;
  return [
    nameOf(request),
    age(request, now),
    request.spec?.signerName || NONE,
    request.spec?.username ?? '',
    typeof seconds === 'number' ? humanDuration(seconds * 1000) : NONE,
    states.join(','),
  ];
}

export const leaseCells = (lease: Lease, now: number): Cell[] => [
  nameOf(lease),
  lease.spec?.holderIdentity ?? '',
  age(lease, now),
];

export function flowSchemaCells(flowSchema: FlowSchema, now: number): Cell[] {
  const dangling = (flowSchema.status?.conditions ?? []).find((condition) => condition.type === 'Dangling');
  return [
    nameOf(flowSchema),
    flowSchema.spec?.priorityLevelConfiguration.name ?? '',
    flowSchema.spec?.matchingPrecedence ?? 0,
    flowSchema.spec?.distinguisherMethod?.type ?? NONE,
    age(flowSchema, now),
    dangling?.status ?? '?',
  ];
}

export function priorityLevelConfigurationCells(configuration: PriorityLevelConfiguration, now: number): Cell[] {
  const limited = configuration.spec?.limited;
  const queuing = limited?.limitResponse?.queuing;
  return [
    nameOf(configuration),
    configuration.spec?.type ?? '',
    limited ? (limited.nominalConcurrencyShares ?? 0) : NONE,
    queuing?.queues ?? NONE,
    queuing?.handSize ?? NONE,
    queuing?.queueLengthLimit ?? NONE,
    age(configuration, now),
  ];
}

export const runtimeClassCells = (runtimeClass: RuntimeClass, now: number): Cell[] => [
  nameOf(runtimeClass),
  runtimeClass.handler,
  age(runtimeClass, now),
];

export const podDisruptionBudgetCells = (budget: PodDisruptionBudget, now: number): Cell[] => [
  nameOf(budget),
  budget.spec?.minAvailable === undefined ? 'N/A' : `${budget.spec.minAvailable}`,
  budget.spec?.maxUnavailable === undefined ? 'N/A' : `${budget.spec.maxUnavailable}`,
  budget.status?.disruptionsAllowed ?? 0,
  age(budget, now),
];

export function roleBindingCells(binding: RoleBinding | ClusterRoleBinding, now: number): Cell[] {
  const subjects = binding.subjects ?? [];
  const names = (kind: string) => subjects.filter((subject) => subject.kind === kind).map((subject) => subject.name);
  const accounts = subjects
    .filter((subject) => subject.kind === 'ServiceAccount')
    .map((subject) => `${subject.namespace ?? ''}/${subject.name}`);
  return [
    nameOf(binding),
    `${binding.roleRef.kind}/${binding.roleRef.name}`,
    age(binding, now),
    names('User').join(', '),
    names('Group').join(', '),
    accounts.join(', '),
  ];
}

export const namedCells = (object: DeviceClass | ResourceClaimTemplate, now: number): Cell[] => [
  nameOf(object),
  age(object, now),
];

export function resourceClaimCells(claim: ResourceClaim, now: number): Cell[] {
  const states: string[] = [];
  if (claim.metadata?.deletionTimestamp) states.push('deleted');
  if (claim.status?.allocation) states.push('allocated');
  else if (states.length === 0) states.push('pending');
  if (claim.status?.allocation && (claim.status.reservedFor ?? []).length > 0) states.push('reserved');
  return [nameOf(claim), states.join(','), age(claim, now)];
}

export const resourceSliceCells = (slice: ResourceSlice, now: number): Cell[] => [
  nameOf(slice),
  slice.spec?.nodeName ?? '',
  slice.spec?.driver ?? '',
  slice.spec?.pool.name ?? '',
  age(slice, now),
];

export const priorityClassCells = (priorityClass: PriorityClass, now: number): Cell[] => [
  nameOf(priorityClass),
  priorityClass.value ?? 0,
  priorityClass.globalDefault ?? false,
  age(priorityClass, now),
  priorityClass.preemptionPolicy ?? '',
];
