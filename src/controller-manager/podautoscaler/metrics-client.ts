/** A client of the metrics APIs, which aggregated API servers provide. */

import { errorMessage, isRecord, parseQuantity } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';

/** Values are in thousandths, so that fractions stay whole numbers. */
interface PodMetrics {
  readonly milliByPod: ReadonlyMap<string, number>;
}

export interface DescribedObject {
  readonly apiVersion: string;
  /** Plural, with its group: `services`, `ingresses.networking.k8s.io`. */
  readonly resource: string;
  readonly name: string;
}

export interface MetricsClient {
  /** The usage of a resource by pod, or by one container of each pod. */
  resource(query: { resource: string; namespace: string; selector: string; container?: string }): Promise<PodMetrics>;
  pods(query: { metric: string; namespace: string; selector: string; metricSelector: string }): Promise<PodMetrics>;
  /** In thousandths. */
  object(query: {
    metric: string;
    namespace: string;
    object: DescribedObject;
    metricSelector: string;
  }): Promise<number>;
  external(query: { metric: string; namespace: string; metricSelector: string }): Promise<number[]>;
}

export function createMetricsClient(client: Client, signal: AbortSignal): MetricsClient {
  const items = async (path: string, query: Record<string, string>): Promise<Record<string, unknown>[]> => {
    const { body } = await client.request({ method: 'GET', path, query, signal });
    const list = isRecord(body) ? body['items'] : undefined;
    return Array.isArray(list) ? list.filter(isRecord) : [];
  };
  const custom = (namespace: string, resource: string, name: string, metric: string): string =>
    `/apis/custom.metrics.k8s.io/v1beta2/namespaces/${namespace}/${resource}/${encodeURIComponent(name)}/${encodeURIComponent(metric)}`;

  return {
    async resource({ resource, namespace, selector, container }) {
      const found = await explained(`unable to get metrics for resource ${resource}`, () =>
        items(`/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`, { labelSelector: selector }),
      );
      if (found.length === 0) throw new Error('no metrics returned from resource metrics API');
      const milliByPod = new Map<string, number>();
      for (const pod of found) {
        const milli = usageOf(pod, resource, container);
        if (milli !== undefined) milliByPod.set(nameOf(pod['metadata']), milli);
      }
      return { milliByPod };
    },
    async pods({ metric, namespace, selector, metricSelector }) {
      const found = await explained(`unable to get metric ${metric}`, () =>
        items(custom(namespace, 'pods', '*', metric), { labelSelector: selector, metricLabelSelector: metricSelector }),
      );
      if (found.length === 0) throw new Error('no metrics returned from custom metrics API');
      return { milliByPod: new Map(found.map((value) => [nameOf(value['describedObject']), milliOf(value['value'])])) };
    },
    async object({ metric, namespace, object, metricSelector }) {
      const [found] = await explained(
        `unable to get metric ${metric}: ${object.resource} on ${namespace} ${object.name}`,
        () => items(custom(namespace, object.resource, object.name, metric), { metricLabelSelector: metricSelector }),
      );
      if (!found) throw new Error('no metrics returned from custom metrics API');
      return milliOf(found['value']);
    },
    async external({ metric, namespace, metricSelector }) {
      const found = await explained(`unable to get external metric ${namespace}/${metric}`, () =>
        items(`/apis/external.metrics.k8s.io/v1beta1/namespaces/${namespace}/${encodeURIComponent(metric)}`, {
          labelSelector: metricSelector,
        }),
      );
      if (found.length === 0) throw new Error(`no metrics returned from external metrics API`);
      return found.map((value) => milliOf(value['value']));
    },
  };
}

async function explained<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
  }
}

const nameOf = (value: unknown): string => (isRecord(value) && typeof value['name'] === 'string' ? value['name'] : '');
const milliOf = (value: unknown): number =>
  typeof value === 'string' || typeof value === 'number' ? parseQuantity(String(value)).milliValue() : 0;

/** The sum over the pod's containers; undefined when a container has no sample. */
function usageOf(pod: Record<string, unknown>, resource: string, container: string | undefined): number | undefined {
  const containers = Array.isArray(pod['containers']) ? pod['containers'].filter(isRecord) : [];
  const wanted = container === undefined ? containers : containers.filter((c) => c['name'] === container);
  if (wanted.length === 0) return undefined;
  let sum = 0;
  for (const { usage } of wanted as { usage?: unknown }[]) {
    if (!isRecord(usage) || usage[resource] === undefined) return undefined;
    sum += milliOf(usage[resource]);
  }
  return sum;
}
