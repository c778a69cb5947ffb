/**
 * The shape of a pod: everything that decides where it may be scheduled, and nothing that distinguishes it from equal
 * pods. The pods of a Deployment share one shape, and results for one of them hold for the others.
 */
import type {
  Affinity,
  Container,
  ContainerStatus,
  Pod,
  Toleration,
  TopologySpreadConstraint,
  Volume,
} from '../../api/generated/core-v1.ts';
import { longRunningContainers } from '../../component-helpers/index.ts';
import { affinityTermsOf, type AffinityTerms } from './affinity-term.ts';
import type { PodRequests } from './pod-requests.ts';
import { requiredFeatures } from './required-features.ts';

export interface HostPort {
  readonly protocol: string;
  readonly ip: string;
  readonly port: number;
}

interface OwnerOfPod {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export class PodShape {
  readonly key: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly requests: PodRequests;
  readonly hostPorts: readonly HostPort[];
  readonly tolerations: readonly Toleration[];
  readonly nodeSelector: Readonly<Record<string, string>> | undefined;
  readonly affinity: Affinity | undefined;
  readonly terms: AffinityTerms;
  readonly spreadConstraints: readonly TopologySpreadConstraint[];
  readonly images: readonly string[];
  /** Volumes that restrict the choice of nodes: claims and disks. */
  readonly volumes: readonly Volume[];
  readonly owner: OwnerOfPod | undefined;
  /** Features that the node must declare. */
  readonly requiredFeatures: readonly string[];

  constructor(key: string, pod: Pod, requests: PodRequests) {
    const spec = pod.spec;
    this.key = key;
    this.namespace = pod.metadata.namespace ?? '';
    this.labels = pod.metadata.labels ?? {};
    this.priority = spec?.priority ?? 0;
    this.requests = requests;
    this.hostPorts = hostPortsOf(pod);
    this.tolerations = spec?.tolerations ?? [];
    this.nodeSelector = spec?.nodeSelector;
    this.affinity = spec?.affinity;
    this.terms = affinityTermsOf(pod);
    this.spreadConstraints = spec?.topologySpreadConstraints ?? [];
    this.images = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((c) => c.image ?? '');
    this.volumes = (spec?.volumes ?? []).filter(restrictsNodes);
    this.owner = ownerOf(pod);
    this.requiredFeatures = requiredFeatures(spec);
  }

  get hasRequiredAntiAffinity(): boolean {
    return this.terms.requiredAntiAffinity.length > 0;
  }

  get hasAffinity(): boolean {
    const { requiredAffinity, requiredAntiAffinity, preferredAffinity, preferredAntiAffinity } = this.terms;
    return (
      requiredAffinity.length + requiredAntiAffinity.length + preferredAffinity.length + preferredAntiAffinity.length >
      0
    );
  }
}

/**
 * Whether an update certainly did not change the shape. Most updates change the status only, and every change of the
 * spec except the binding increases the generation.
 */
export function hasUnchangedShape(before: Pod, after: Pod): boolean {
  const { labels, ownerReferences } = after.metadata;
  if (!hasUnchangedSpec(before, after) || before.metadata.uid !== after.metadata.uid) return false;
  if (
    !sameLabels(before.metadata.labels, labels) ||
    before.metadata.ownerReferences?.length !== ownerReferences?.length
  )
    return false;
  return !hasResourcesInStatus(before) && !hasResourcesInStatus(after);
}

/** The first deletion of a pod increases its generation by one, without a change of the spec. */
function hasUnchangedSpec({ metadata: before }: Pod, { metadata: after }: Pod): boolean {
  if (before.generation === undefined || after.generation === undefined) return false;
  const deletions = before.deletionTimestamp === undefined && after.deletionTimestamp !== undefined ? 1 : 0;
  return after.generation === before.generation + deletions;
}

function sameLabels(
  a: Readonly<Record<string, string>> | undefined,
  b: Readonly<Record<string, string>> | undefined,
): boolean {
  if (a === b) return true;
  const keys = Object.keys(a ?? {});
  return keys.length === Object.keys(b ?? {}).length && keys.every((key) => a![key] === b?.[key]);
}

/** After an in-place resize, the resources in the status may differ from those in the spec. */
function hasResourcesInStatus(pod: Pod): boolean {
  const hasResources = (status: { resources?: unknown; allocatedResources?: unknown }): boolean =>
    status.resources !== undefined || status.allocatedResources !== undefined;
  return (
    pod.status?.containerStatuses?.some(hasResources) === true ||
    pod.status?.initContainerStatuses?.some(hasResources) === true
  );
}

/** The parts of the pod that make its shape, with the requests as written unless parsed ones are given. */
export function partsOf(pod: Pod, requests: PodRequests | undefined): readonly unknown[] {
  const { namespace, labels } = pod.metadata;
  const spec = pod.spec;
  const owner = ownerOf(pod);
  const volumes = spec?.volumes?.filter(restrictsNodes);
  return [
    namespace,
    labels,
    spec?.schedulerName,
    spec?.priority,
    spec?.preemptionPolicy,
    requests ?? [
      spec?.containers.map(resourcesOf),
      spec?.initContainers?.map(resourcesOf),
      spec?.resources,
      spec?.overhead,
      hasResourcesInStatus(pod)
        ? [pod.status?.containerStatuses?.map(resourcesOf), pod.status?.initContainerStatuses?.map(resourcesOf)]
        : 0,
    ],
    spec?.nodeSelector,
    spec?.affinity,
    spec?.tolerations,
    spec?.topologySpreadConstraints,
    spec?.hostNetwork,
    spec?.hostUsers,
    spec?.os?.name,
    spec?.containers.map(containerKey),
    spec?.initContainers?.map(containerKey),
    volumes?.length ? volumes : 0,
    spec?.resourceClaims,
    owner && [owner.kind, owner.name],
    spec?.schedulingGroup,
  ];
}

const containerKey = (container: Container): unknown => [
  container.image,
  container.ports?.some((p) => p.hostPort) ? container.ports : 0,
  container.restartPolicy,
  container.restartPolicyRules,
];

const resourcesOf = (container: Pick<ContainerStatus, 'name' | 'resources' | 'allocatedResources'>): unknown => [
  container.name,
  container.resources?.requests,
  container.allocatedResources,
];

function hostPortsOf(pod: Pod): HostPort[] {
  const found: HostPort[] = [];
  const visit = (container: Container): void => {
    for (const { hostPort, hostIP, protocol } of container.ports ?? []) {
      if (hostPort) found.push({ protocol: protocol ?? 'TCP', ip: hostIP || '0.0.0.0', port: hostPort });
    }
  };
  longRunningContainers(pod.spec).forEach(visit);
  return found;
}

function ownerOf(pod: Pod): OwnerOfPod | undefined {
  const owner = pod.metadata.ownerReferences?.find((o) => o.controller === true);
  return owner && { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name };
}

function restrictsNodes(volume: Volume): boolean {
  return (
    volume.persistentVolumeClaim !== undefined ||
    volume.ephemeral !== undefined ||
    volume.gcePersistentDisk !== undefined ||
    volume.awsElasticBlockStore !== undefined ||
    volume.azureDisk !== undefined ||
    volume.iscsi !== undefined ||
    volume.rbd !== undefined ||
    volume.csi !== undefined
  );
}
