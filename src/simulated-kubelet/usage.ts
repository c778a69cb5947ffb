/**
 * What runs on a simulated node, and its CPU and memory usage: /runningpods, /metrics, /metrics/resource and /stats/summary of
 * its kubelet API.
 */
import { KUBERNETES_VERSION } from '../api/kubernetes-version.ts';
import { formatTime } from '../base/index.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { SimulatedPod } from './simulated-pod.ts';

interface ContainerUsage {
  readonly pod: SimulatedPod;
  readonly container: string;
  readonly startedAt: number;
  readonly cpu: number;
  readonly memory: number;
}

/** The usage of the node's own daemons. */
const NODE_CPU = 0.05;
const NODE_MEMORY = 300 * 2 ** 20;

/** Splits the pod's usage evenly among its containers. */
function containerUsages(node: SimulatedNode, now: number): ContainerUsage[] {
  return [...node.pods.values()].flatMap((pod) => {
    const usage = pod.usage(now);
    const running = pod.containers.filter(({ kind, phase }) => kind !== 'init' && phase.type === 'running');
    if (usage === undefined) return [];
    return running.map(({ spec, phase }) => ({
      pod,
      container: spec.name,
      startedAt: phase.type === 'running' ? phase.startedAt : now,
      cpu: usage.cpu / running.length,
      memory: usage.memory / running.length,
    }));
  });
}

const cpuSeconds = ({ cpu, startedAt }: ContainerUsage, now: number): number => (cpu * (now - startedAt)) / 1000;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export function resourceMetrics(node: SimulatedNode, now: number): string {
  const usages = containerUsages(node, now);
  const labels = ({ pod, container }: ContainerUsage): string =>
    `{container="${container}",namespace="${pod.namespace}",pod="${pod.name}"}`;
  const nodeSeconds =
    (NODE_CPU * (now - node.heartbeat.since)) / 1000 + sum(usages.map((usage) => cpuSeconds(usage, now)));
  const lines = [
    '# TYPE container_cpu_usage_seconds_total counter',
    ...usages.map(
      (usage) => `container_cpu_usage_seconds_total${labels(usage)} ${cpuSeconds(usage, now)} ${Math.round(now)}`,
    ),
    '# TYPE container_memory_working_set_bytes gauge',
    ...usages.map((usage) => `container_memory_working_set_bytes${labels(usage)} ${usage.memory} ${Math.round(now)}`),
    '# TYPE container_start_time_seconds gauge',
    ...usages.map((usage) => `container_start_time_seconds${labels(usage)} ${usage.startedAt / 1000}`),
    '# TYPE node_cpu_usage_seconds_total counter',
    `node_cpu_usage_seconds_total ${nodeSeconds} ${Math.round(now)}`,
    '# TYPE node_memory_working_set_bytes gauge',
    `node_memory_working_set_bytes ${NODE_MEMORY + sum(usages.map(({ memory }) => memory))} ${Math.round(now)}`,
    '# TYPE resource_scrape_error gauge',
    'resource_scrape_error 0',
  ];
  return `${lines.join('\n')}\n`;
}

export function statsSummary(node: SimulatedNode, now: number): unknown {
  const usages = containerUsages(node, now);
  const time = formatTime(now);
  const stats = (cpu: number, nanoSeconds: number, memory: number): object => ({
    cpu: { time, usageNanoCores: Math.round(cpu * 1e9), usageCoreNanoSeconds: Math.round(nanoSeconds * 1e9) },
    memory: { time, usageBytes: Math.round(memory), workingSetBytes: Math.round(memory), rssBytes: Math.round(memory) },
  });
  const total = (containers: readonly ContainerUsage[]): object =>
    stats(
      sum(containers.map(({ cpu }) => cpu)),
      sum(containers.map((usage) => cpuSeconds(usage, now))),
      sum(containers.map(({ memory }) => memory)),
    );
  const pods = [...new Set(usages.map(({ pod }) => pod))].map((pod) => {
    const own = usages.filter((usage) => usage.pod === pod);
    return {
      podRef: { name: pod.name, namespace: pod.namespace, uid: pod.object.metadata.uid },
      startTime: formatTime(pod.startTime),
      containers: own.map((usage) => ({
        name: usage.container,
        startTime: formatTime(usage.startedAt),
        ...stats(usage.cpu, cpuSeconds(usage, now), usage.memory),
      })),
      ...total(own),
    };
  });
  const ownSeconds = (NODE_CPU * (now - node.heartbeat.since)) / 1000;
  const all = stats(
    NODE_CPU + sum(usages.map(({ cpu }) => cpu)),
    ownSeconds + sum(usages.map((usage) => cpuSeconds(usage, now))),
    NODE_MEMORY + sum(usages.map(({ memory }) => memory)),
  );
  return { node: { nodeName: node.name, startTime: formatTime(node.heartbeat.since), ...all }, pods };
}

const isRunning = ({ phase }: { readonly phase: { readonly type: string } }): boolean => phase.type === 'running';

/** The pods that the runtime runs: names, images and nothing that only the API server knows. */
export function runningPods(node: SimulatedNode): unknown {
  const items = [...node.pods.values()].flatMap((pod) => {
    const containers = pod.containers.filter(isRunning);
    if (containers.length === 0) return [];
    return {
      metadata: { name: pod.name, namespace: pod.namespace, uid: pod.object.metadata.uid },
      spec: { containers: containers.map(({ spec: { name, image } }) => ({ name, image, resources: {} })) },
      status: {},
    };
  });
  return { kind: 'PodList', apiVersion: 'v1', metadata: {}, items };
}

export function kubeletMetrics(node: SimulatedNode): string {
  const states = new Map<string, number>();
  const containers = [...node.pods.values()].flatMap((pod) => pod.containers);
  for (const { phase } of containers) {
    const state = phase.type === 'running' ? 'running' : phase.type === 'terminated' ? 'exited' : 'created';
    states.set(state, (states.get(state) ?? 0) + 1);
  }
  const running = [...node.pods.values()].filter((pod) => pod.containers.some(isRunning)).length;
  const lines = [
    "# HELP kubelet_node_name [ALPHA] The node's name. The count is always 1.",
    '# TYPE kubelet_node_name gauge',
    `kubelet_node_name{node="${node.name}"} 1`,
    '# HELP kubelet_running_containers [BETA] Number of containers currently running',
    '# TYPE kubelet_running_containers gauge',
    ...Array.from(states, ([state, count]) => `kubelet_running_containers{container_state="${state}"} ${count}`),
    '# HELP kubelet_running_pods [BETA] Number of pods that have a running pod sandbox',
    '# TYPE kubelet_running_pods gauge',
    `kubelet_running_pods ${running}`,
    "# HELP kubernetes_build_info [BETA] A metric with a constant '1' value labeled by version.",
    '# TYPE kubernetes_build_info gauge',
    `kubernetes_build_info{git_version="${KUBERNETES_VERSION}"} 1`,
  ];
  return `${lines.join('\n')}\n`;
}
