/** Validates a KubeletConfiguration: named checks with upstream's error messages. */
import { tracingProblems } from '../../otlp/index.ts';
import type { KubeletConfiguration } from './kubelet-configuration.ts';

type Check = (config: KubeletConfiguration) => string | undefined;

const isPercent = (n: number): boolean => n >= 0 && n <= 100;
const unless = (fine: boolean, message: string): string | undefined => (fine ? undefined : message);

const CHECKS = {
  leaseDuration: (c) =>
    unless(c.nodeLeaseDurationSeconds > 0, 'invalid configuration: nodeLeaseDurationSeconds must be greater than 0'),
  enforceWithoutQos: (c) =>
    unless(
      c.cgroupsPerQOS || c.enforceNodeAllocatable.length === 0,
      'invalid configuration: enforceNodeAllocatable (--enforce-node-allocatable) is not supported unless cgroupsPerQOS (--cgroups-per-qos) is set to true',
    ),
  systemCgroups: (c) =>
    unless(
      c.systemCgroups === '' || c.cgroupRoot !== '',
      'invalid configuration: systemCgroups (--system-cgroups) was specified and cgroupRoot (--cgroup-root) was not specified',
    ),
  eventBurst: (c) =>
    unless(
      c.eventBurst >= 0,
      `invalid configuration: eventBurst (--event-burst) ${c.eventBurst} must not be a negative number`,
    ),
  eventRecordQps: (c) =>
    unless(
      c.eventRecordQPS >= 0,
      `invalid configuration: eventRecordQPS (--event-qps) ${c.eventRecordQPS} must not be a negative number`,
    ),
  healthzPort: (c) =>
    unless(
      isPort(c.healthzPort),
      `invalid configuration: healthzPort (--healthz-port) ${c.healthzPort} must be between 1 and 65535, inclusive`,
    ),
  cfsPeriod: (c) =>
    unless(
      c.cpuCFSQuotaPeriod >= 1 && c.cpuCFSQuotaPeriod <= 1000,
      `invalid configuration: cpuCFSQuotaPeriod (--cpu-cfs-quota-period) {${c.cpuCFSQuotaPeriod}ms} must be between 1ms and 1sec, inclusive`,
    ),
  gcHigh: (c) =>
    unless(
      isPercent(c.imageGCHighThresholdPercent),
      `invalid configuration: imageGCHighThresholdPercent (--image-gc-high-threshold) ${c.imageGCHighThresholdPercent} must be between 0 and 100, inclusive`,
    ),
  gcLow: (c) =>
    unless(
      isPercent(c.imageGCLowThresholdPercent),
      `invalid configuration: imageGCLowThresholdPercent (--image-gc-low-threshold) ${c.imageGCLowThresholdPercent} must be between 0 and 100, inclusive`,
    ),
  gcOrder: (c) =>
    unless(
      c.imageGCLowThresholdPercent < c.imageGCHighThresholdPercent,
      `invalid configuration: imageGCLowThresholdPercent (--image-gc-low-threshold) ${c.imageGCLowThresholdPercent} must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) ${c.imageGCHighThresholdPercent}`,
    ),
  maxPods: (c) =>
    unless(c.maxPods >= 0, `invalid configuration: maxPods (--max-pods) ${c.maxPods} must not be a negative number`),
  podsPerCore: (c) =>
    unless(
      c.podsPerCore >= 0,
      `invalid configuration: podsPerCore (--pods-per-core) ${c.podsPerCore} must not be a negative number`,
    ),
  port: (c) =>
    unless(isPort(c.port), `invalid configuration: port (--port) ${c.port} must be between 1 and 65535, inclusive`),
  readOnlyPort: (c) =>
    unless(
      c.readOnlyPort === 0 || isPort(c.readOnlyPort),
      `invalid configuration: readOnlyPort (--read-only-port) ${c.readOnlyPort} must be between 0 and 65535, inclusive`,
    ),
  registryBurst: (c) =>
    unless(
      c.registryBurst >= 0,
      `invalid configuration: registryBurst (--registry-burst) ${c.registryBurst} must not be a negative number`,
    ),
  registryQps: (c) =>
    unless(
      c.registryPullQPS >= 0,
      `invalid configuration: registryPullQPS (--registry-qps) ${c.registryPullQPS} must not be a negative number`,
    ),
  serializePulls: (c) =>
    unless(
      !(c.serializeImagePulls && (c.maxParallelImagePulls ?? 1) > 1),
      'invalid configuration: maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) set to false',
    ),
  parallelPulls: (c) =>
    unless(
      (c.maxParallelImagePulls ?? 1) >= 1,
      `invalid configuration: maxParallelImagePulls ${c.maxParallelImagePulls} must be a positive number`,
    ),
  hairpin: (c) =>
    unless(
      ['none', 'hairpin-veth', 'promiscuous-bridge'].includes(c.hairpinMode),
      `invalid configuration: unsupported value for hairpinMode (--hairpin-mode): ${c.hairpinMode}`,
    ),
  enforced: (c) =>
    c.enforceNodeAllocatable
      .map((name) =>
        unless(
          [
            'none',
            'pods',
            'system-reserved',
            'kube-reserved',
            'system-reserved-compressible',
            'kube-reserved-compressible',
          ].includes(name),
          `invalid configuration: option ${JSON.stringify(name)} specified for enforceNodeAllocatable (--enforce-node-allocatable). Valid options are "pods", "system-reserved", "kube-reserved", "system-reserved-compressible", "kube-reserved-compressible" or "none"`,
        ),
      )
      .find((m) => m !== undefined),
  topology: (c) =>
    unless(
      ['none', 'best-effort', 'restricted', 'single-numa-node'].includes(c.topologyManagerPolicy),
      `invalid configuration: topologyManagerPolicy (--topology-manager-policy) ${JSON.stringify(c.topologyManagerPolicy)} must be one of: ["none" "best-effort" "restricted" "single-numa-node"]`,
    ),
  cpuManager: (c) =>
    unless(['none', 'static'].includes(c.cpuManagerPolicy), `unknown policy: ${JSON.stringify(c.cpuManagerPolicy)}`),
  topologyScope: (c) =>
    unless(
      ['container', 'pod'].includes(c.topologyManagerScope),
      `invalid configuration: topologyManagerScope (--topology-manager-scope) ${JSON.stringify(c.topologyManagerScope)} must be one of: "container", or "pod"`,
    ),
  topologyOptions: (c) =>
    unless(
      Object.keys(c.topologyManagerPolicyOptions).length === 0,
      'invalid configuration: topologyManagerPolicyOptions (--topology-manager-policy-options): options are not supported',
    ),
  memoryManager: (c) =>
    unless(
      ['None', 'Static'].includes(c.memoryManagerPolicy),
      `unknown policy: ${JSON.stringify(c.memoryManagerPolicy)}`,
    ),
  cgroupDriver: (c) =>
    unless(['cgroupfs', 'systemd'].includes(c.cgroupDriver), `unrecognized cgroup driver "${c.cgroupDriver}"`),
  logMaxFiles: (c) =>
    unless(
      c.containerLogMaxFiles > 1,
      `invalid configuration: containerLogMaxFiles (--container-log-max-files) must be greater than 1`,
    ),
  shutdown: (c) =>
    unless(
      c.shutdownGracePeriodCriticalPods <= c.shutdownGracePeriod,
      `invalid configuration: shutdownGracePeriodCriticalPods {${c.shutdownGracePeriodCriticalPods}ms} must be <= shutdownGracePeriod {${c.shutdownGracePeriod}ms}`,
    ),
  shutdownBoth: (c) =>
    unless(
      c.shutdownGracePeriodByPodPriority.length === 0 ||
        (c.shutdownGracePeriod === 0 && c.shutdownGracePeriodCriticalPods === 0),
      'invalid configuration: Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time',
    ),
  softGrace: (c) =>
    Object.keys(c.evictionSoft)
      .map((signal) =>
        unless(
          c.evictionSoftGracePeriod[signal] !== undefined,
          `grace period must be specified for the soft eviction threshold ${signal}`,
        ),
      )
      .find((m) => m !== undefined),
  tracing: (c) => tracingProblems(c.tracing, 'tracing')[0],
} as const satisfies Record<string, Check>;

const isPort = (port: number): boolean => port >= 0 && port <= 65535;

/** Throws an error with all violations. */
export function validateKubeletConfiguration(config: KubeletConfiguration): void {
  const problems = Object.values(CHECKS).flatMap((check) => check(config) ?? []);
  if (problems.length === 0) return;
  throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
}
