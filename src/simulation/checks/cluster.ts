/** Checks of what stands around workloads: ownership, budgets, quotas, addresses, endpoints, leaders, bootstrap objects. */
import type { ConfigMap, Node, ObjectReference, ResourceQuota, Service } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import type { OwnerReference } from '../../api/generated/meta-v1.ts';
import type { PodDisruptionBudget } from '../../api/generated/policy-v1.ts';
import { ownValue } from '../../base/index.ts';
import { isPodReady, isPodTerminal } from '../../component-helpers/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Widget } from '../world/operator.ts';
import { idOf, type StoreLog } from '../world/store-log.ts';
import { firstWrong, RECOVERED_MS, type Check, type Verdict } from './check.ts';
import { all, isDeleted, pods } from './workloads.ts';

const COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';

/** By then the garbage collector knows a new object, where nothing strikes: it cannot let go of one that it does not know. */
const KNOWN_MS = 2_000;
/** The owners that were deleted without their dependents while nothing struck, and when, by world. */
const orphaners = new WeakMap<StoreLog, Map<string, number>>();

function orphanersOf(log: StoreLog): Map<string, number> {
  const known = orphaners.get(log) ?? new Map<string, number>();
  orphaners.set(log, known);
  return known;
}

const ownerExists = (log: StoreLog, { kind, name, uid }: OwnerReference, namespace: string | undefined): boolean =>
  [namespace ? `${namespace}/${name}` : name, name].some((id) => log.object(kind, id)?.metadata.uid === uid);

/** What a Service selects: pods that run and are not going away. */
function selectedAddresses(log: StoreLog, { metadata, spec }: Service): string[] {
  const selector = Object.entries(spec?.selector ?? {});
  return pods(log)
    .filter(
      (pod) =>
        pod.metadata.namespace === metadata.namespace &&
        selector.every(([name, value]) => ownValue(pod.metadata.labels, name) === value) &&
        isPodReady(pod) &&
        !isPodTerminal(pod) &&
        !isDeleted(pod),
    )
    .map(({ status }) => status?.podIP ?? '')
    .sort();
}

const slicesOf = (log: StoreLog, service: Service['metadata']): EndpointSlice[] =>
  all<EndpointSlice>(log, 'EndpointSlice').filter(
    ({ metadata: { namespace, labels } }) =>
      namespace === service.namespace &&
      labels?.['kubernetes.io/service-name'] === service.name &&
      labels?.['endpointslice.kubernetes.io/managed-by'] === 'endpointslice-controller.k8s.io',
  );

const readyAddresses = (slices: readonly EndpointSlice[]): string[] =>
  slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => addresses)
    .sort();

function shared(log: StoreLog, of: (service: Service) => readonly (string | number)[]): Verdict {
  const seen = new Map<string | number, string>();
  return firstWrong(all<Service>(log, 'Service'), (service) =>
    firstWrong(of(service), (value) => {
      const name = `${service.metadata.namespace}/${service.metadata.name}`;
      const other = seen.get(value);
      seen.set(value, name);
      return other === undefined ? undefined : `Services ${other} and ${name} both have ${value}`;
    }),
  );
}

export const clusterChecks = {
  'nothing-alive-is-collected': {
    because: 'the garbage collector deletes only what has no living owner',
    answered({ request, status, user, body, sentAt }, { log, looked }) {
      if (user !== COLLECTOR || request.method !== 'DELETE' || status !== 200) return undefined;
      const object = deletedObject(request.path, log, body);
      if (!object) return undefined;
      looked();
      const { ownerReferences = [], namespace } = object.metadata;
      const alive = ownerReferences.find(
        (owner) => ownerExists(log, owner, namespace) && !isGoing(log, owner, namespace, sentAt),
      );
      return (
        alive &&
        `${object.kind} ${namespace ?? ''}/${object.metadata.name} was collected although its owner ${alive.kind} ${alive.name} exists`
      );
    },
  },
  'orphans-stay': {
    because: 'what an owner has left behind when it was deleted is not collected',
    committed({ kind, id, at, before, after }, { log, calmSince }) {
      if (after || !before?.metadata.finalizers?.includes('orphan')) return undefined;
      const isCalm = at - calmSince() >= RECOVERED_MS;
      const asked = log.history(kind, id).find((change) => change.after?.metadata.deletionTimestamp !== undefined);
      if (isCalm && asked) orphanersOf(log).set(before.metadata.uid ?? '', asked.at);
      return undefined;
    },
    answered({ request, status, user, body }, { log, looked }) {
      if (user !== COLLECTOR || status !== 200) return undefined;
      const object = request.method === 'DELETE' ? deletedObject(request.path, log, body) : undefined;
      if (!object) {
        // It has let a dependent go.
        if (request.method === 'PATCH') looked();
        return undefined;
      }
      const created = log.history(object.kind, idOf(object)).findLast(({ before }) => !before)?.at ?? Infinity;
      const owner = object.metadata.ownerReferences?.find(
        ({ uid }) => created + KNOWN_MS < (orphanersOf(log).get(uid) ?? -Infinity),
      );
      return (
        owner && `${object.kind} ${idOf(object)} was collected, and ${owner.kind} ${owner.name} had left it behind`
      );
    },
  },
  'nothing-of-dead-owners-stays': {
    because: 'an object whose owners are all gone is deleted',
    settled: ({ log, looked }) =>
      firstWrong(['Pod', 'ReplicaSet', 'Job', 'EndpointSlice', 'ControllerRevision', 'ConfigMap'], (kind) =>
        firstWrong(log.objects(kind), ({ metadata }) => {
          const { ownerReferences = [], namespace, name } = metadata;
          if (ownerReferences.length === 0) return undefined;
          looked();
          return ownerReferences.some((owner) => ownerExists(log, owner, namespace))
            ? undefined
            : `${kind} ${namespace}/${name} is still there, and its owners are gone`;
        }),
      ),
  },
  'budgets-are-kept': {
    because: 'an eviction is granted only while the budget allows one, and each uses one up',
    committed({ kind, id, before, after }, { looked }) {
      if (kind !== 'PodDisruptionBudget' || !before || !after) return undefined;
      const { status } = after as unknown as PodDisruptionBudget;
      looked();
      return (status?.disruptionsAllowed ?? 0) < 0
        ? `budget ${id} allows ${status?.disruptionsAllowed} disruptions`
        : undefined;
    },
    settled: ({ log, looked }) =>
      firstWrong(all<PodDisruptionBudget>(log, 'PodDisruptionBudget'), ({ metadata, spec, status }) => {
        looked();
        const labels = Object.entries(spec?.selector?.matchLabels ?? {});
        const healthy = pods(log).filter(
          (pod) =>
            pod.metadata.namespace === metadata.namespace &&
            labels.every(([name, value]) => ownValue(pod.metadata.labels, name) === value) &&
            isPodReady(pod) &&
            !isDeleted(pod),
        ).length;
        if ((status?.currentHealthy ?? 0) !== healthy)
          return `budget ${metadata.namespace}/${metadata.name} counts ${status?.currentHealthy} healthy pods instead of ${healthy}`;
        const { expectedPods = 0, disruptionsAllowed = 0 } = status ?? {};
        const allowed = expectedPods === 0 ? 0 : Math.max(0, healthy - Number(spec?.minAvailable ?? 0));
        return disruptionsAllowed === allowed
          ? undefined
          : `budget ${metadata.namespace}/${metadata.name} allows ${disruptionsAllowed} disruptions instead of ${allowed}`;
      }),
  },
  'quotas-converge': {
    because: 'a quota counts what is there',
    settled: ({ log, looked }) =>
      firstWrong(all<ResourceQuota>(log, 'ResourceQuota'), ({ metadata, status }) => {
        looked();
        const used = pods(log).filter(
          (pod) => pod.metadata.namespace === metadata.namespace && !isPodTerminal(pod),
        ).length;
        return Number(status?.used?.['pods'] ?? -1) === used
          ? undefined
          : `quota ${metadata.namespace}/${metadata.name} counts ${status?.used?.['pods']} pods instead of ${used}`;
      }),
  },
  'addresses-are-given-once': {
    because: 'no two Services have the same address or node port',
    committed({ kind, after }, { log, looked }) {
      if (kind !== 'Service' || !after) return undefined;
      looked();
      return (
        shared(log, ({ spec }) => (spec?.clusterIP && spec.clusterIP !== 'None' ? [spec.clusterIP] : [])) ??
        shared(log, ({ spec }) => (spec?.ports ?? []).flatMap(({ nodePort }) => nodePort ?? []))
      );
    },
  },
  'pod-ranges-are-given-once': {
    because: 'no two nodes have the same range of pod addresses',
    committed({ kind, after }, { log, looked }) {
      if (kind !== 'Node' || !after) return undefined;
      looked();
      const seen = new Set<string>();
      return firstWrong(all<Node>(log, 'Node'), ({ metadata, spec }) => {
        if (!spec?.podCIDR) return undefined;
        if (seen.has(spec.podCIDR)) return `node ${metadata.name} has the range ${spec.podCIDR} of another node`;
        seen.add(spec.podCIDR);
        return undefined;
      });
    },
  },
  'endpoints-converge': {
    because: 'the ready endpoints of a Service are the ready pods that it selects',
    settled: ({ log, looked }) =>
      firstWrong(all<Service>(log, 'Service'), (service) => {
        const { metadata, spec } = service;
        if (!spec?.selector || isDeleted(service)) return undefined;
        looked();
        const wanted = selectedAddresses(log, service).join();
        const found = readyAddresses(slicesOf(log, metadata)).join();
        return found === wanted
          ? undefined
          : `Service ${metadata.namespace}/${metadata.name} has the endpoints [${found}] instead of [${wanted}]`;
      }),
  },
  'proxies-converge': {
    because: 'what kube-proxy has written sends to the ready endpoints of every Service, and to no other',
    settled: ({ log, proxy, looked }) =>
      firstWrong(all<Service>(log, 'Service'), ({ metadata, spec }) => {
        if (!spec?.selector || !spec.clusterIP || spec.clusterIP === 'None') return undefined;
        looked();
        const id = `${metadata.namespace}/${metadata.name}`;
        const wanted = readyAddresses(slicesOf(log, metadata)).join();
        const found = proxy.endpointsOf(id).join();
        return found === wanted ? undefined : `Service ${id} is sent to [${found}] instead of [${wanted}]`;
      }) ??
      firstWrong(proxy.services, (id) =>
        log.object('Service', id) ? undefined : `Service ${id} is gone, and its rules are there`,
      ),
  },
  'namespaces-go': {
    because:
      'a namespace that is being deleted ends with everything in it, and every other one has its default account',
    settled: ({ log, looked }) =>
      firstWrong(log.objects('Namespace'), ({ metadata }) => {
        looked();
        if (metadata.deletionTimestamp !== undefined) return `namespace ${metadata.name} is still being deleted`;
        return log.object('ServiceAccount', `${metadata.name}/default`)
          ? undefined
          : `namespace ${metadata.name} has no default ServiceAccount`;
      }) ??
      firstWrong(['Pod', 'ConfigMap', 'Deployment', 'ReplicaSet', 'Service', 'Job'], (kind) =>
        firstWrong(log.objects(kind), ({ metadata }) =>
          log.object('Namespace', metadata.namespace ?? '')
            ? undefined
            : `${kind} ${metadata.namespace}/${metadata.name} is in a namespace that does not exist`,
        ),
      ),
  },
  'nodes-converge': {
    because: 'when faults have ended every node is Ready',
    settled: ({ log, looked }) =>
      firstWrong(all<Node>(log, 'Node'), ({ metadata, status, spec }) => {
        looked();
        const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
        if (ready !== 'True') return `node ${metadata.name} is not Ready (${ready})`;
        const taint = spec?.taints?.find(
          ({ key }) => key.startsWith('node.kubernetes.io/') && key !== 'node.kubernetes.io/unschedulable',
        );
        return taint && `node ${metadata.name} is Ready and has the taint ${taint.key}`;
      }),
  },
  'counters-lose-nothing': {
    because: 'two clients that read, add one and write do not overwrite each other',
    committed({ kind, id, before, after }, { looked }) {
      if (kind !== 'ConfigMap' || !id.startsWith('default/counter-') || !before || !after) return undefined;
      looked();
      const [was, is] = [before, after].map((object) => Number((object as unknown as ConfigMap).data?.['count']));
      return is! === was! + 1 || is === was ? undefined : `${id} counted from ${was} to ${is}`;
    },
  },
  'operators-converge': {
    because: 'an operator that is killed at any line does its work in the end',
    settled: ({ log, looked }) =>
      firstWrong(all<Widget>(log, 'Widget'), ({ metadata, spec, status }) => {
        looked();
        const made = log.object('ConfigMap', `${metadata.namespace}/widget-${metadata.name}`) as unknown as
          | ConfigMap
          | undefined;
        if (made?.data?.['size'] !== String(spec.size))
          return `Widget ${metadata.namespace}/${metadata.name} asks for ${spec.size}, and its ConfigMap has ${made?.data?.['size']}`;
        return status?.observedSize === spec.size
          ? undefined
          : `the status of Widget ${metadata.namespace}/${metadata.name} has ${status?.observedSize} instead of ${spec.size}`;
      }),
  },
  'bootstrap-objects-stay': {
    because: 'the roles, namespaces and Services that a cluster stands on are there whatever happens',
    settled: ({ log, looked }) => {
      looked();
      const changed = firstWrong(
        ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding', 'PriorityClass'],
        (kind) =>
          firstWrong(log.beginning(kind), (first) => {
            const now = log.object(kind, idOf(first));
            if (now === first) return undefined;
            // Aggregated roles collect the rules of others.
            if ('aggregationRule' in first) return now ? undefined : `${kind} ${idOf(first)} is gone`;
            return now && content(now) === content(first) ? undefined : `${kind} ${idOf(first)} is not as it was`;
          }),
      );
      if (changed !== undefined) return changed;
      return firstWrong(
        [
          ['ClusterRole', 'cluster-admin'],
          ['ClusterRoleBinding', 'cluster-admin'],
          ['ClusterRole', 'system:kube-scheduler'],
          ['ClusterRoleBinding', 'system:kube-controller-manager'],
          ['Namespace', 'default'],
          ['Namespace', 'kube-system'],
          ['Namespace', 'kube-node-lease'],
          ['Namespace', 'kube-public'],
          ['Service', 'default/kubernetes'],
          ['PriorityClass', 'system-node-critical'],
        ] as const,
        ([kind, id]) => (log.object(kind, id) ? undefined : `${kind} ${id} is gone`),
      );
    },
  },
} satisfies Record<string, Check>;

const content = ({ metadata: _, ...rest }: KubeObject): string => JSON.stringify(rest);

/** The object that a DELETE named, as it was. */
function deletedObject(path: string, log: StoreLog, body: unknown): KubeObject | undefined {
  const { details, metadata, kind } = (body ?? {}) as KubeObject & { details?: ObjectReference };
  if (metadata?.uid !== undefined && kind !== 'Status') return body as KubeObject;
  const parts = /\/namespaces\/([^/]+)\/[^/]+\/([^/]+)$/.exec(path);
  if (!parts || !details?.uid) return undefined;
  for (const known of log.kinds())
    for (const { before } of log.history(known, `${parts[1]}/${parts[2]}`))
      if (before?.metadata.uid === details.uid) return before;
  return undefined;
}

/** An owner that waits for its dependents: they go first. */
function isGoing(log: StoreLog, { kind, name }: OwnerReference, namespace: string | undefined, since: number): boolean {
  const id = namespace && log.object(kind, `${namespace}/${name}`) ? `${namespace}/${name}` : name;
  const owner = log.object(kind, id);
  if (owner?.metadata.finalizers?.includes('foregroundDeletion')) return true;
  // It was made anew since the request was sent.
  return log.history(kind, id).some(({ at, before }) => before === undefined && at >= since);
}
