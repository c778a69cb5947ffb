/** Serves NodeMetrics and PodMetrics from the samples and the existing nodes and pods. */
import type { APIResourceDiscovery } from '../api/generated/apidiscovery-v2.ts';
import type { Node, Pod } from '../api/generated/core-v1.ts';
import type { ObjectMeta } from '../api/generated/meta-v1.ts';
import { formatDurationNanos, formatTime, Quantity } from '../base/index.ts';
import { notFound } from '../machinery/errors/index.ts';
import { parseFieldSelector, parseLabelSelector } from '../machinery/selectors/index.ts';
import type { Samples, Usage } from './samples.ts';

const METRICS_GROUP = 'metrics.k8s.io';
const METRICS_VERSION = 'v1beta1';
const API_VERSION = `${METRICS_GROUP}/${METRICS_VERSION}`;

interface Metrics {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly timestamp: string;
  readonly window: string;
  readonly usage?: Readonly<Record<string, string>>;
  readonly containers?: readonly { readonly name: string; readonly usage: Readonly<Record<string, string>> }[];
}

interface MetricsRequest {
  readonly namespace: string;
  readonly resource: string;
  /** Empty for a list. */
  readonly name: string;
  readonly query: URLSearchParams;
}

interface ClusterView {
  nodes(): readonly Node[];
  pods(namespace: string): readonly Pod[];
}

/** An API as the aggregation layer serves it. */
export interface MetricsApi {
  readonly group: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
  readonly resources: readonly APIResourceDiscovery[];
  get(request: MetricsRequest): object | undefined;
}

const resource = (plural: string, kind: string, scope: string): APIResourceDiscovery => ({
  resource: plural,
  singularResource: '',
  scope,
  responseKind: { group: METRICS_GROUP, version: METRICS_VERSION, kind },
  verbs: ['get', 'list'],
});

export function metricsApi(samples: Samples, view: ClusterView, now: () => number): MetricsApi {
  return {
    group: METRICS_GROUP,
    version: METRICS_VERSION,
    groupPriorityMinimum: 100,
    versionPriority: 100,
    resources: [resource('nodes', 'NodeMetrics', 'Cluster'), resource('pods', 'PodMetrics', 'Namespaced')],
    get({ namespace, resource: plural, name, query }) {
      if (plural === 'nodes' && namespace === '') {
        const found = view.nodes().flatMap((node) => nodeMetrics(samples, node, now()));
        return name === '' ? listOf('NodeMetricsList', found, query) : oneOf(found, name, 'nodes', name);
      }
      if (plural !== 'pods' || (name !== '' && namespace === '')) return undefined;
      const found = view.pods(namespace).flatMap((pod) => podMetrics(samples, pod, now()));
      return name === '' ? listOf('PodMetricsList', found, query) : oneOf(found, name, 'pods', `${namespace}/${name}`);
    },
  };
}

function oneOf(found: readonly Metrics[], name: string, plural: string, shown: string): Metrics {
  const one = found.find(({ metadata }) => metadata.name === name);
  if (!one) throw notFound({ group: METRICS_GROUP, resource: plural }, shown);
  return one;
}

function listOf(kind: string, found: readonly Metrics[], query: URLSearchParams): object {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '');
  const items = found.filter(
    ({ metadata }) => labels.matches(metadata.labels ?? {}) && fields.matches((field) => fieldOf(metadata, field)),
  );
  return {
    kind,
    apiVersion: API_VERSION,
    metadata: {},
    items: items.map(({ kind: _kind, apiVersion: _version, ...item }) => item),
  };
}

const fieldOf = ({ name = '', namespace = '' }: ObjectMeta, field: string): string =>
  field === 'metadata.name' ? name : field === 'metadata.namespace' ? namespace : '';

const metadataOf = ({ name = '', namespace, labels }: ObjectMeta, now: number): ObjectMeta => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
  creationTimestamp: formatTime(now),
  ...(labels ? { labels } : {}),
});

function nodeMetrics(samples: Samples, node: Node, now: number): Metrics[] {
  const usage = samples.node(node.metadata?.name ?? '');
  if (!usage) return [];
  return [
    {
      kind: 'NodeMetrics',
      apiVersion: API_VERSION,
      metadata: metadataOf(node.metadata ?? {}, now),
      ...timing(usage),
      usage: amounts(usage),
    },
  ];
}

function podMetrics(samples: Samples, pod: Pod, now: number): Metrics[] {
  const { name = '', namespace = '' } = pod.metadata ?? {};
  const usages = pod.status?.phase === 'Running' ? samples.pod(pod.spec?.nodeName ?? '', namespace, name) : undefined;
  if (!usages || usages.size === 0) return [];
  const earliest = [...usages.values()].reduce((a, b) => (b.at < a.at ? b : a));
  const containers = [...usages].map(([container, usage]) => ({ name: container, usage: amounts(usage) }));
  return [
    {
      kind: 'PodMetrics',
      apiVersion: API_VERSION,
      metadata: metadataOf(pod.metadata ?? {}, now),
      ...timing(earliest),
      containers,
    },
  ];
}

const timing = ({ at, windowMs }: Usage): { timestamp: string; window: string } => ({
  timestamp: formatTime(at),
  window: formatDurationNanos(BigInt(Math.round(windowMs)) * 1_000_000n),
});

const amounts = ({ cpuNanocores, memoryBytes }: Usage): Record<string, string> => ({
  cpu: cpuNanocores === 0 ? '0' : `${cpuNanocores}n`,
  memory: bytesText(memoryBytes),
});

/** In Ki if that is exact. */
const bytesText = (bytes: number): string =>
  bytes > 0 && bytes % 1024 === 0 ? `${bytes / 1024}Ki` : Quantity.of(bytes, 'BinarySI').toString();
