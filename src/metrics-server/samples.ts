/** Keeps the last two readings of every node and container, and computes the usage between them. */
import type { ContainerReading, NodeReadings, Reading } from './parse-resource-metrics.ts';

export interface Usage {
  readonly cpuNanocores: number;
  readonly memoryBytes: number;
  /** The time of the later reading, and the time between the two. */
  readonly at: number;
  readonly windowMs: number;
}

interface Pair {
  readonly last: Reading;
  readonly before: Reading | undefined;
}

interface NodeSamples {
  readonly node: Pair | undefined;
  /** By namespace and pod, then by container. */
  readonly pods: ReadonlyMap<string, ReadonlyMap<string, Pair>>;
}

const podKey = (namespace: string, pod: string): string => `${namespace}/${pod}`;

export class Samples {
  readonly #nodes = new Map<string, NodeSamples>();

  add(nodeName: string, readings: NodeReadings): void {
    const before = this.#nodes.get(nodeName);
    const pods = new Map<string, Map<string, Pair>>();
    for (const reading of readings.containers) {
      const key = podKey(reading.namespace, reading.pod);
      const containers = pods.get(key) ?? new Map<string, Pair>();
      pods.set(key, containers);
      containers.set(reading.container, pairOf(reading, before?.pods.get(key)?.get(reading.container)));
    }
    this.#nodes.set(nodeName, { node: readings.node && pairOf(readings.node, before?.node), pods });
  }

  /** Drops the samples of all other nodes. */
  keepOnly(nodeNames: ReadonlySet<string>): void {
    for (const name of this.#nodes.keys()) if (!nodeNames.has(name)) this.#nodes.delete(name);
  }

  node(name: string): Usage | undefined {
    const pair = this.#nodes.get(name)?.node;
    return pair && usageOf(pair);
  }

  /** Usage by container; undefined unless every container of the pod has two readings. */
  pod(nodeName: string, namespace: string, name: string): ReadonlyMap<string, Usage> | undefined {
    const containers = this.#nodes.get(nodeName)?.pods.get(podKey(namespace, name));
    if (!containers) return undefined;
    const usages = new Map<string, Usage>();
    for (const [container, pair] of containers) {
      const usage = usageOf(pair);
      if (!usage) return undefined;
      usages.set(container, usage);
    }
    return usages;
  }
}

/**
 * If the kubelet reports the same reading twice, because it was scraped within its housekeeping period, the pair
 * stays.
 */
function pairOf(reading: Reading | ContainerReading, known: Pair | undefined): Pair {
  if (known && reading.at <= known.last.at) return known;
  return { last: reading, before: known?.last };
}

/** A CPU counter that decreased belongs to a restarted container and counts from zero. */
function usageOf({ last, before }: Pair): Usage | undefined {
  if (!before) return undefined;
  const windowMs = last.at - before.at;
  const seconds = last.cpuSeconds >= before.cpuSeconds ? last.cpuSeconds - before.cpuSeconds : last.cpuSeconds;
  return {
    cpuNanocores: Math.round((seconds * 1e9) / (windowMs / 1000)),
    memoryBytes: last.memoryBytes,
    at: last.at,
    windowMs,
  };
}
