import type { Pod, PodCondition, PodSpec } from '../../../api/generated/core-v1.ts';
import type { DeleteOptions } from '../../../api/generated/meta-v1.ts';
import { schema } from '../../../api/index.ts';
import { cloneJson, deepEqual, formatTime } from '../../../base/index.ts';
import { computePodQos, isTerminalPhase } from '../../../component-helpers/index.ts';
import { canonicalize } from '../../../machinery/decode/index.ts';
import { keepStatusMetadata } from '../keep-metadata.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';
import { reconcileAppArmor } from './pod-app-armor.ts';
import { pinMatchLabelKeys } from './pod-labels.ts';

type PodObject = ObjectOf<Pod>;

const CONDITION = schema.message('io.k8s.api.core.v1.PodCondition');

export const pods: Strategy<PodObject> = {
  deleteReturnsObject: true,
  keepStatusOnCreate: true,
  statusResetFields: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
  statusMetadata: ['labels', 'annotations', 'finalizers'],
  generationChanges: (pod, old) => !deepEqual(pod.spec, old.spec),

  prepareForCreate(pod, { warn, ctx }) {
    const spec = (pod.spec ??= { containers: [] });
    shortenNegativeGrace(pod);
    // Upstream keeps the class that the client has sent.
    pod.status = { phase: 'Pending', qosClass: pod.status?.qosClass || computePodQos(spec) };
    if ((spec.schedulingGates?.length ?? 0) > 0) {
      const gated: PodCondition = {
        type: 'PodScheduled',
        lastTransitionTime: formatTime(ctx.clock.now()),
        status: 'False',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      };
      pod.status.conditions = [canonicalize(CONDITION, gated) as unknown as PodCondition];
    }
    pinMatchLabelKeys(spec, pod.metadata.labels ?? {});
    reconcileAppArmor(pod, warn);
  },

  prepareForStatusUpdate(pod, old) {
    const status = (pod.status ??= {});
    const before = old.status ?? {};
    if (!status.qosClass && before.qosClass) status.qosClass = before.qosClass;
    if (!status.observedGeneration && before.observedGeneration) status.observedGeneration = before.observedGeneration;
    keepObservedGenerations(status.conditions, before.conditions);
  },

  gracePeriod: (pod, options) => podGracePeriod(pod, options),

  prepareForUpdate: shortenNegativeGrace,

  subresources: {
    ephemeralcontainers: {
      prepareForUpdate(pod, old) {
        const ephemeral = pod.spec?.ephemeralContainers;
        keepAllBut(pod, old, { ...cloneJson(old.spec!), ...(ephemeral ? { ephemeralContainers: ephemeral } : {}) });
        if (!ephemeral) delete pod.spec!.ephemeralContainers;
      },
      resetFields: ['status'],
    },
    resize: {
      prepareForUpdate(pod, old) {
        const resized = resizedSpec(pod.spec!, old.spec!);
        if (resized) keepAllBut(pod, old, resized);
      },
      resetFields: ['status'],
    },
  },
};

/** A negative grace period once meant to end at once; now it is the shortest. */
function shortenNegativeGrace({ spec }: PodObject): void {
  if (spec && (spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
}

/** An older client that leaves observedGeneration out does not clear it. */
function keepObservedGenerations(
  conditions: PodCondition[] | undefined,
  before: readonly PodCondition[] | undefined,
): void {
  const known = new Map<string, number[]>();
  for (const { type, observedGeneration } of before ?? [])
    known.set(type, [...(known.get(type) ?? []), observedGeneration ?? 0]);
  for (const condition of conditions ?? []) {
    const generation = known.get(condition.type)?.shift();
    if (!condition.observedGeneration && generation) condition.observedGeneration = generation;
  }
}

/** The grace period. A pod without a node, or one that has ended, runs nothing and is removed at once. */
function podGracePeriod(pod: Pod, options: DeleteOptions): number {
  const phase = pod.status?.phase;
  if (!pod.spec?.nodeName || isTerminalPhase(phase)) return 0;
  const period = options.gracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 0;
  return period < 0 ? 1 : period;
}

function keepAllBut(pod: PodObject, old: PodObject, spec: PodSpec): void {
  pod.spec = spec;
  if (old.status === undefined) delete pod.status;
  else pod.status = cloneJson(old.status);
  keepStatusMetadata(pod.metadata, old.metadata, 'none');
}

/** The old spec with the new resources; undefined when containers were added, removed or renamed, which validation refuses. */
function resizedSpec(spec: PodSpec, old: PodSpec): PodSpec | undefined {
  // A list that the client sent empty is null here.
  const sameLength = (a: readonly unknown[] | null = [], b: readonly unknown[] | null = []): boolean =>
    (a ?? []).length === (b ?? []).length;
  if (!sameLength(spec.containers, old.containers) || !sameLength(spec.initContainers, old.initContainers))
    return undefined;
  const kept = cloneJson(old);
  kept.containers = resizedContainers(spec.containers, kept.containers);
  if (spec.initContainers) kept.initContainers = resizedContainers(spec.initContainers, kept.initContainers ?? []);
  if (spec.resources) kept.resources = spec.resources;
  else delete kept.resources;
  return kept;
}

function resizedContainers(containers: PodSpec['containers'], old: PodSpec['containers']): PodSpec['containers'] {
  if (containers.some((container, i) => container.name !== old[i]!.name)) return containers;
  return old.map((container, i) => {
    const { resources, resizePolicy } = containers[i]!;
    const { resizePolicy: _, ...rest } = container;
    return { ...rest, ...(resources ? { resources } : {}), ...(resizePolicy ? { resizePolicy } : {}) };
  });
}
