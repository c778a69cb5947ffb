/** Informer event handlers: they update the scheduler's cache and queue, and retry pods that an event may help. */
import type { Node, Pod } from '../api/generated/core-v1.ts';
import type { ApiObject, BuiltInResource, InformerHandler, SharedInformer } from '../client/index.ts';
import { isPodTerminal } from '../component-helpers/index.ts';
import type { NodeChanges } from './cache/node-changes.ts';
import { PodInfo } from './cache/pod-info.ts';
import {
  Action,
  ASSIGNED_POD_ADD,
  ASSIGNED_POD_DELETE,
  event,
  POD_ADD,
  type EventResource,
} from './framework/cluster-event.ts';
import type { Listers } from './listers.ts';
import { assignedPodUpdateEvents } from './queue/pod-update-events.ts';
import type { Scheduler } from './scheduler.ts';

export function addPodHandlers(scheduler: Scheduler, informer: SharedInformer<Pod>): void {
  const prefix = (pod: Pod): string => (isAssigned(pod) ? 'AssignedPod' : 'UnscheduledPod');
  const handler = new PodHandler(scheduler);
  informer.addHandler(timed(scheduler, (pod, action) => `${prefix(pod)}${action}`, handler));
}

class PodHandler implements Required<InformerHandler<Pod>> {
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  onAdd(pod: Pod): void {
    if (isPodTerminal(pod)) return;
    if (isAssigned(pod)) this.#setAssigned(undefined, pod);
    else this.#setUnscheduled(undefined, pod);
  }

  onUpdate(before: Pod, pod: Pod): void {
    if (isPodTerminal(pod)) {
      if (isAssigned(before)) this.#removeAssigned(pod);
      else this.#removeUnscheduled(pod);
    } else if (isAssigned(pod)) this.#setAssigned(before, pod);
    else this.#setUnscheduled(before, pod);
  }

  onDelete(pod: Pod): void {
    const { cache } = this.#scheduler;
    if (isAssigned(pod) || cache.pod(pod.metadata.uid ?? '') !== undefined) this.#removeAssigned(pod);
    this.#removeUnscheduled(pod);
  }

  #setAssigned(before: Pod | undefined, pod: Pod): void {
    const { cache, queue } = this.#scheduler;
    const uid = pod.metadata.uid ?? '';
    queue.delete(uid);
    cache.nominator.remove({ uid });
    const cached = cache.setPod(pod);
    if (before === undefined || !isAssigned(before))
      return queue.moveAllToActiveOrBackoff(ASSIGNED_POD_ADD, undefined, pod);
    for (const clusterEvent of assignedPodUpdateEvents(before, pod))
      queue.moveAllToActiveOrBackoff(clusterEvent, cached.before?.pod ?? before, pod);
  }

  #removeAssigned(pod: Pod): void {
    const { cache, queue } = this.#scheduler;
    if (cache.removePod(pod.metadata.uid ?? '') !== undefined)
      queue.moveAllToActiveOrBackoff(ASSIGNED_POD_DELETE, pod, undefined);
  }

  #setUnscheduled(before: Pod | undefined, pod: Pod): void {
    const { cache, queue } = this.#scheduler;
    const uid = pod.metadata.uid ?? '';
    // The scheduler is binding the pod, and this event is older than that decision.
    if (cache.isAssumed(uid)) return;
    if (before === undefined) queue.add(new PodInfo(pod));
    else queue.update(before, pod);
    const queued = queue.get(uid);
    if (queued !== undefined && (pod.status?.nominatedNodeName ?? '') !== (before?.status?.nominatedNodeName ?? ''))
      cache.nominator.add(queued.pod);
    if (before === undefined) queue.moveAllToActiveOrBackoff(POD_ADD, undefined, pod);
  }

  #removeUnscheduled(pod: Pod): void {
    const { cache, queue, waitingPods } = this.#scheduler;
    const uid = pod.metadata.uid ?? '';
    waitingPods.get(uid)?.reject('', 'removed');
    queue.delete(uid);
    cache.nominator.remove({ uid });
    const assumed = cache.pod(uid);
    if (assumed !== undefined && cache.isAssumed(uid)) cache.forget(assumed);
    queue.moveAllToActiveOrBackoff(event('UnscheduledPod', Action.Delete, 'UnscheduledPodDelete'), pod, undefined);
  }
}

/** Wraps a handler to observe how long it takes for each kind of event. */
function timed<T>(
  { ctx, metrics }: Scheduler,
  labelOf: (object: T, action: 'Add' | 'Update' | 'Delete') => string,
  handler: Required<InformerHandler<T>>,
): InformerHandler<T> {
  const { clock } = ctx;
  const done = (object: T, action: 'Add' | 'Update' | 'Delete', startedAt: number): void =>
    metrics.observeEvent(labelOf(object, action), (clock.monotonic() - startedAt) / 1000);
  return {
    onAdd(object, context) {
      const startedAt = clock.monotonic();
      handler.onAdd(object, context);
      done(object, 'Add', startedAt);
    },
    onUpdate(before, after) {
      const startedAt = clock.monotonic();
      handler.onUpdate(before, after);
      done(after, 'Update', startedAt);
    },
    onDelete(object, context) {
      const startedAt = clock.monotonic();
      handler.onDelete(object, context);
      done(object, 'Delete', startedAt);
    },
  };
}

const isAssigned = (pod: Pod): boolean => (pod.spec?.nodeName ?? '') !== '';

export function addNodeHandlers(scheduler: Scheduler, informer: SharedInformer<Node>): void {
  const { cache, queue } = scheduler;
  informer.addHandler(
    timed(scheduler, (_node, action) => `Node${action}`, {
      onAdd: (node) => {
        cache.setNode(node);
        queue.moveAllToActiveOrBackoff(event('Node', Action.Add, 'NodeAdd'), undefined, node);
      },
      onUpdate: (before, node) => {
        const action = actionOf(cache.setNode(node));
        if (action !== 0) queue.moveAllToActiveOrBackoff(event('Node', action, 'NodeUpdate'), before, node);
      },
      onDelete: (node) => {
        cache.removeNode(node.metadata.name ?? '');
        queue.moveAllToActiveOrBackoff(event('Node', Action.Delete, 'NodeDelete'), node, undefined);
      },
    }),
  );
}

function actionOf(changes: NodeChanges): number {
  let action = 0;
  if (changes.allocatable) action |= Action.UpdateNodeAllocatable;
  if (changes.labels) action |= Action.UpdateNodeLabel;
  if (changes.taints) action |= Action.UpdateNodeTaint;
  if (changes.conditions) action |= Action.UpdateNodeCondition;
  if (changes.annotations) action |= Action.UpdateNodeAnnotation;
  if (changes.declaredFeatures) action |= Action.UpdateNodeDeclaredFeature;
  return action;
}

/** Resources that the cache does not keep: plugins read them from the informers, and their events retry pods. */
const OTHER_RESOURCES: readonly (readonly [BuiltInResource, EventResource])[] = [
  ['v1/persistentvolumes', 'PersistentVolume'],
  ['v1/persistentvolumeclaims', 'PersistentVolumeClaim'],
  ['storage.k8s.io/v1/storageclasses', 'StorageClass'],
  ['storage.k8s.io/v1/csinodes', 'CSINode'],
  ['storage.k8s.io/v1/csidrivers', 'CSIDriver'],
  ['storage.k8s.io/v1/csistoragecapacities', 'CSIStorageCapacity'],
  ['storage.k8s.io/v1/volumeattachments', 'VolumeAttachment'],
  ['resource.k8s.io/v1/resourceclaims', 'ResourceClaim'],
  ['resource.k8s.io/v1/resourceslices', 'ResourceSlice'],
  ['resource.k8s.io/v1/deviceclasses', 'DeviceClass'],
];

export function addOtherHandlers({ queue, cache }: Scheduler, listers: Listers): void {
  for (const [resource, name] of OTHER_RESOURCES) {
    const handler: InformerHandler<ApiObject> = {
      onAdd: (object) => queue.moveAllToActiveOrBackoff(event(name, Action.Add, `${name}Add`), undefined, object),
      onUpdate: (before, object) =>
        queue.moveAllToActiveOrBackoff(event(name, Action.UpdateOther, `${name}Update`), before, object),
      onDelete: (object) =>
        queue.moveAllToActiveOrBackoff(event(name, Action.Delete, `${name}Delete`), object, undefined),
    };
    (listers.informer(resource) as SharedInformer<ApiObject>).addHandler(handler);
  }
  listers.informer('v1/namespaces').addHandler({
    onAdd: (_namespace, { initial }) => {
      if (!initial) cache.everythingChanged();
    },
    onUpdate: (before, after) => {
      if (JSON.stringify(before.metadata.labels) === JSON.stringify(after.metadata.labels)) return;
      cache.everythingChanged();
      queue.moveAllToActiveOrBackoff(event('Namespace', Action.UpdateOther, 'NamespaceUpdate'), before, after);
    },
  });
}
