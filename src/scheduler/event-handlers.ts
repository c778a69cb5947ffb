/** What informers tell goes into the cache and the queue. */
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

export function followPods(scheduler: Scheduler, informer: SharedInformer<Pod>): void {
  const { cache, queue } = scheduler;

  const assigned = (before: Pod | undefined, pod: Pod): void => {
    const uid = pod.metadata.uid ?? '';
    queue.delete(uid);
    cache.nominator.remove({ uid });
    const known = cache.setPod(pod);
    if (before === undefined || !isAssigned(before)) queue.moveOn(ASSIGNED_POD_ADD, undefined, pod);
    else
      for (const happened of assignedPodUpdateEvents(before, pod))
        queue.moveOn(happened, known.before?.pod ?? before, pod);
  };

  const left = (pod: Pod): void => {
    const uid = pod.metadata.uid ?? '';
    if (cache.removePod(uid) !== undefined) queue.moveOn(ASSIGNED_POD_DELETE, pod, undefined);
  };

  const unassigned = (before: Pod | undefined, pod: Pod): void => {
    const uid = pod.metadata.uid ?? '';
    /** Its binding is on its way: what the API server says of it is older than that. */
    if (cache.isAssumed(uid)) return;
    if (before === undefined) queue.add(new PodInfo(pod));
    else queue.update(before, pod);
    const queued = queue.get(uid);
    if (queued !== undefined && (pod.status?.nominatedNodeName ?? '') !== (before?.status?.nominatedNodeName ?? ''))
      cache.nominator.add(queued.pod);
    if (before === undefined) queue.moveOn(POD_ADD, undefined, pod);
  };

  const gone = (pod: Pod): void => {
    const uid = pod.metadata.uid ?? '';
    scheduler.permitRoom.get(uid)?.reject('', 'removed');
    queue.delete(uid);
    cache.nominator.remove({ uid });
    const assumed = cache.pod(uid);
    if (assumed !== undefined && cache.isAssumed(uid)) cache.forget(assumed);
    queue.moveOn(event('UnscheduledPod', Action.Delete, 'UnscheduledPodDelete'), pod, undefined);
  };

  const prefix = (pod: Pod): string => (isAssigned(pod) ? 'AssignedPod' : 'UnscheduledPod');
  informer.addHandler(
    timed(scheduler, (pod, action) => `${prefix(pod)}${action}`, {
      onAdd: (pod) => {
        if (isPodTerminal(pod)) return;
        if (isAssigned(pod)) assigned(undefined, pod);
        else unassigned(undefined, pod);
      },
      onUpdate: (before, pod) => {
        if (isPodTerminal(pod)) {
          if (isAssigned(before)) left(pod);
          else gone(pod);
        } else if (isAssigned(pod)) assigned(before, pod);
        else unassigned(before, pod);
      },
      onDelete: (pod) => {
        if (isAssigned(pod) || cache.pod(pod.metadata.uid ?? '') !== undefined) left(pod);
        gone(pod);
      },
    }),
  );
}

/** The handler, and how long it takes for each kind of event. */
function timed<T>(
  { ctx, metrics }: Scheduler,
  labelOf: (object: T, action: 'Add' | 'Update' | 'Delete') => string,
  handler: Required<InformerHandler<T>>,
): InformerHandler<T> {
  const { clock } = ctx;
  const done = (object: T, action: 'Add' | 'Update' | 'Delete', startedAt: number): void =>
    metrics.handled(labelOf(object, action), (clock.monotonic() - startedAt) / 1000);
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

export function followNodes(scheduler: Scheduler, informer: SharedInformer<Node>): void {
  const { cache, queue } = scheduler;
  informer.addHandler(
    timed(scheduler, (_node, action) => `Node${action}`, {
      onAdd: (node) => {
        cache.setNode(node);
        queue.moveOn(event('Node', Action.Add, 'NodeAdd'), undefined, node);
      },
      onUpdate: (before, node) => {
        const action = actionOf(cache.setNode(node));
        if (action !== 0) queue.moveOn(event('Node', action, 'NodeUpdate'), before, node);
      },
      onDelete: (node) => {
        cache.removeNode(node.metadata.name ?? '');
        queue.moveOn(event('Node', Action.Delete, 'NodeDelete'), node, undefined);
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

/** The other resources matter only as events: plugins read them from the informers. */
const FOLLOWED: readonly (readonly [BuiltInResource, EventResource])[] = [
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

export function followOthers({ queue, cache }: Scheduler, listers: Listers): void {
  for (const [resource, name] of FOLLOWED) {
    const handler: InformerHandler<ApiObject> = {
      onAdd: (object) => queue.moveOn(event(name, Action.Add, `${name}Add`), undefined, object),
      onUpdate: (before, object) => queue.moveOn(event(name, Action.UpdateOther, `${name}Update`), before, object),
      onDelete: (object) => queue.moveOn(event(name, Action.Delete, `${name}Delete`), object, undefined),
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
      queue.moveOn(event('Namespace', Action.UpdateOther, 'NamespaceUpdate'), before, after);
    },
  });
}
