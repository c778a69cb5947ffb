/** `why KIND/NAME`: finds the explainer of the kind, and reads the object as the user who asks. */
import { builtIn, ResourceFinder, type ApiObject, type BuiltInResource } from '../../client/index.ts';
import type { Answer, Explanation } from '../answers.ts';
import { healthy, unhealthy } from './explanation.ts';
import { explainHorizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';
import { explainIngress } from './ingress.ts';
import { explainNamespace } from './namespace.ts';
import { explainPersistentVolumeClaim } from './persistent-volume-claim.ts';
import { explainPod } from './pod.ts';
import { Reader, type ReaderOptions } from './reader.ts';
import { explainResourceQuota } from './resource-quota.ts';
import { explainService } from './service.ts';
import { finalizerCauses } from './terminating.ts';
import { explainWorkload, type PodCount } from './workload.ts';

type Explain = (reader: Reader, object: never) => Promise<Explanation>;

interface Counted extends ApiObject {
  readonly spec?: { readonly replicas?: number; readonly completions?: number };
  readonly status?: {
    readonly availableReplicas?: number;
    readonly updatedReplicas?: number;
    readonly updatedNumberScheduled?: number;
    readonly numberAvailable?: number;
    readonly desiredNumberScheduled?: number;
    readonly succeeded?: number;
  };
}

const rolledOut = (object: Counted): PodCount => ({
  ...replicas(object),
  updated: object.status?.updatedReplicas ?? 0,
});

const replicas = ({ spec, status }: Counted): PodCount => ({
  available: status?.availableReplicas ?? 0,
  wanted: spec?.replicas ?? 1,
});

const workload =
  (kind: string, count: (object: Counted) => PodCount): Explain =>
  (reader, object) =>
    explainWorkload(reader, object, { kind, count: count(object) });

/** By group and resource. */
const EXPLAINERS: ReadonlyMap<string, Explain> = new Map<string, Explain>([
  ['/pods', explainPod],
  ['/services', explainService],
  ['/namespaces', explainNamespace],
  ['/persistentvolumeclaims', explainPersistentVolumeClaim],
  ['/resourcequotas', explainResourceQuota],
  ['/replicationcontrollers', workload('ReplicationController', replicas)],
  ['apps/deployments', workload('Deployment', rolledOut)],
  ['apps/replicasets', workload('ReplicaSet', replicas)],
  ['apps/statefulsets', workload('StatefulSet', rolledOut)],
  [
    'apps/daemonsets',
    workload('DaemonSet', ({ status }) => ({
      available: status?.numberAvailable ?? 0,
      wanted: status?.desiredNumberScheduled ?? 0,
      updated: status?.updatedNumberScheduled ?? 0,
    })),
  ],
  [
    'batch/jobs',
    workload('Job', ({ spec, status }) => ({ available: status?.succeeded ?? 0, wanted: spec?.completions ?? 1 })),
  ],
  ['networking.k8s.io/ingresses', explainIngress],
  ['autoscaling/horizontalpodautoscalers', explainHorizontalPodAutoscaler],
]);

/** How objects are named here: `pods`, `deployments.apps`. */
export const EXPLAINED = {
  wordOf: ({ plural, group }: { readonly plural: string; readonly group: string }): string =>
    group === '' ? plural : `${plural}.${group}`,
};

/** What a list of explanations looks at, in the order of how much people ask for it. */
const LISTED = [
  'v1/pods',
  'apps/v1/deployments',
  'apps/v1/statefulsets',
  'apps/v1/daemonsets',
  'batch/v1/jobs',
  'v1/services',
  'networking.k8s.io/v1/ingresses',
  'v1/persistentvolumeclaims',
  'autoscaling/v2/horizontalpodautoscalers',
  'v1/resourcequotas',
] as const satisfies readonly BuiltInResource[];

/** A cluster may have a hundred thousand objects that are not healthy: the first ones are enough to begin with. */
const MAX_UNHEALTHY = 50;
const MAX_LOOKED_AT = 1_000;

interface UnhealthyObject {
  readonly resource: { readonly plural: string; readonly group: string };
  readonly answer: Answer;
}

/** Objects of a namespace, or of all, that are not as their specs ask for. */
export async function unhealthyObjects(namespace: string, options: ReaderOptions): Promise<UnhealthyObject[]> {
  const found: UnhealthyObject[] = [];
  let left = MAX_LOOKED_AT;
  for (const listed of LISTED) {
    const resource = builtIn(listed);
    const explain = EXPLAINERS.get(`${resource.group}/${resource.plural}`)!;
    for (const object of await new Reader(options).list(listed, namespace === '' ? {} : { namespace })) {
      if (found.length >= MAX_UNHEALTHY || left-- <= 0) return found;
      const reader = new Reader(options);
      const explanation = await explain(reader, object as never);
      if (!explanation.healthy) found.push({ resource, answer: { ...explanation, unknown: reader.unknown } });
    }
  }
  return found;
}

export interface WhyOptions extends ReaderOptions {
  /** For kinds that have one; default `default`. */
  readonly namespace?: string;
  readonly finder?: ResourceFinder;
}

/** `reference` is `pod/web` or any resource that the server has, as kubectl names them. */
export async function why(reference: string, options: WhyOptions): Promise<Answer> {
  const [word = '', name = '', ...rest] = reference.split('/');
  if (name === '' || rest.length > 0)
    throw new Error(`${JSON.stringify(reference)} does not name an object: it is kind/name, such as pod/web`);
  const { client, namespace = 'default' } = options;
  const resource = await (options.finder ?? new ResourceFinder(client)).byName(word);
  const target = { name, ...(resource.namespaced ? { namespace } : {}) };
  const object = await client.resource(resource).get(target, options.signal ? { signal: options.signal } : {});
  const reader = new Reader(options);
  const explain = EXPLAINERS.get(`${resource.group}/${resource.plural}`);
  const explanation = explain
    ? await explain(reader, object as never)
    : explainOther({ kind: resource.kind, ...target }, object);
  return { ...explanation, unknown: reader.unknown };
}

interface WithConditions extends ApiObject {
  readonly status?: {
    readonly conditions?: readonly { type?: string; status?: string; reason?: string; message?: string }[];
  };
}

/** Kinds without an explainer are explained by their finalizers and conditions. */
function explainOther(subject: Explanation['subject'], object: WithConditions): Explanation {
  if (object.metadata.deletionTimestamp) return unhealthy(subject, 'Terminating', finalizerCauses(object));
  const conditions = object.status?.conditions ?? [];
  const ready = conditions.find(({ type = '' }) => ['Ready', 'Available', 'Established', 'Complete'].includes(type));
  const causes = conditions
    .filter(({ status }) => status === 'False' || status === 'Unknown')
    .map(({ type = '', reason, message = '' }) => ({ reason: reason ?? type, message: `${type}: ${message}` }));
  return ready && ready.status !== 'True'
    ? unhealthy(subject, `not ${ready.type}`, causes)
    : healthy(subject, ready?.type ?? 'it exists', causes);
}
