/**
 * persistentvolume-attach-detach-controller: asks CSI drivers, by VolumeAttachments, to attach the volumes of pods to
 * their nodes and to detach them when no pod uses them; writes into the status of nodes what is attached.
 */
import { keyedController, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { nodeOfPod, PODS_BY_NODE } from '../node-lifecycle/pods-by-node.ts';
import { claimsOfPod, PODS_BY_CLAIM } from '../persistentvolume-binder/pods-by-claim.ts';
import { ATTACHMENTS_BY_NODE, AttachDetachReconciler } from './reconcile.ts';
import { attachDetachWatches } from './watches.ts';

export const attachDetachController: ControllerDescriptor = {
  name: 'persistentvolume-attach-detach-controller',
  aliases: ['attachdetach'],
  eventSource: 'attachdetach-controller',
  build(context) {
    const { informers, recorder } = context;
    const byNode = { [ATTACHMENTS_BY_NODE]: ({ spec }: { spec: { nodeName: string } }) => [spec.nodeName] };
    const parts = {
      nodes: informers.informer('v1/nodes'),
      pods: informers.informer('v1/pods', {}, { [PODS_BY_NODE]: nodeOfPod, [PODS_BY_CLAIM]: claimsOfPod }),
      claims: informers.informer('v1/persistentvolumeclaims'),
      volumes: informers.informer('v1/persistentvolumes'),
      drivers: informers.informer('storage.k8s.io/v1/csidrivers'),
      attachments: informers.informer('storage.k8s.io/v1/volumeattachments', {}, byNode),
    };
    const unneeded = new Map<string, number>();
    const reconciler = (worker: ControllerContext) => new AttachDetachReconciler(worker, parts, unneeded);
    const watches = attachDetachWatches(parts, recorder);
    return keyedController(context, { queue: 'attach_detach', workers: 10, reconciler, watches });
  },
};
