/**
 * The shape of a pod: everything that decides where it may go, and nothing that tells it from its equals. Pods of one
 * Deployment have one shape, parsed once; what is worked out for one of them holds for the others.
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
import { deepEqual } from '../../base/index.ts';
import { longRunningContainers } from '../../component-helpers/index.ts';
import { affinityTermsOf, type AffinityTerms } from './affinity-term.ts';
import { schedulerRequests, type PodRequests } from './pod-requests.ts';
import { requiredFeatures } from './required-features.ts';

export interface HostPort {
  readonly protocol: string;
  readonly ip: string;
  readonly port: number;
}

export interface OwnerOfPod {
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
  /** Claims and disks; other volumes do not matter to nodes. */
  readonly volumes: readonly Volume[];
  readonly owner: OwnerOfPod | undefined;
  /** What the node's kubelet must have declared that it can do. */
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
    this.volumes = (spec?.volumes ?? []).filter(mattersToNodes);
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

const shapes = new Map<string, WeakRef<PodShape>>();
const FIRST_SWEEP = 1024;
let sweepAt = FIRST_SWEEP;

/** What the last pods were made of: most pods are like one of those before them, and to compare is quicker than to spell out. */
const lately: { readonly parts: readonly unknown[]; readonly shape: PodShape }[] = [];
const LATELY = 4;

export function shapeOf(pod: Pod): PodShape {
  const parts = partsOf(pod, undefined);
  for (const known of lately) if (deepEqual(known.parts, parts)) return known.shape;
  const shape = spelledShape(pod, JSON.stringify(parts));
  lately.unshift({ parts, shape });
  if (lately.length > LATELY) lately.pop();
  return shape;
}

function spelledShape(pod: Pod, spelled: string): PodShape {
  const known = shapes.get(spelled)?.deref();
  if (known !== undefined) return known;
  /** Amounts can be spelled in many ways; these need not be read for pods that spell them as one before. */
  const requests = schedulerRequests(pod);
  const key = JSON.stringify(partsOf(pod, requests));
  const shape = shapes.get(key)?.deref() ?? new PodShape(key, pod, requests);
  const reference = new WeakRef(shape);
  shapes.set(key, reference);
  shapes.set(spelled, reference);
  if (shapes.size > sweepAt) {
    for (const [k, reference] of shapes) if (reference.deref() === undefined) shapes.delete(k);
    sweepAt = Math.max(FIRST_SWEEP, shapes.size * 2);
  }
  return shape;
}

/**
 * Whether an update cannot have changed the shape, seen without working it out: most updates are of the status. Every change
 * of the spec but the binding itself counts the generation up.
 */
export function surelySameShape(before: Pod, after: Pod): boolean {
  const { generation, labels, ownerReferences } = after.metadata;
  if (
    generation === undefined ||
    before.metadata.generation !== generation ||
    before.metadata.uid !== after.metadata.uid
  )
    return false;
  if (
    !sameLabels(before.metadata.labels, labels) ||
    before.metadata.ownerReferences?.length !== ownerReferences?.length
  )
    return false;
  return !hasOwnResources(before) && !hasOwnResources(after);
}

function sameLabels(
  a: Readonly<Record<string, string>> | undefined,
  b: Readonly<Record<string, string>> | undefined,
): boolean {
  if (a === b) return true;
  const keys = Object.keys(a ?? {});
  return keys.length === Object.keys(b ?? {}).length && keys.every((key) => a![key] === b?.[key]);
}

/** What a container was given may differ from what it asks for. */
function hasOwnResources(pod: Pod): boolean {
  const given = (status: { resources?: unknown; allocatedResources?: unknown }): boolean =>
    status.resources !== undefined || status.allocatedResources !== undefined;
  return pod.status?.containerStatuses?.some(given) === true || pod.status?.initContainerStatuses?.some(given) === true;
}

/** Everything that makes a shape; with the amounts as they are spelled when they have not been summed up. */
function partsOf(pod: Pod, requests: PodRequests | undefined): readonly unknown[] {
  const { namespace, labels } = pod.metadata;
  const spec = pod.spec;
  const owner = ownerOf(pod);
  const volumes = spec?.volumes?.filter(mattersToNodes);
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
      hasOwnResources(pod)
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

function mattersToNodes(volume: Volume): boolean {
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
