/** endpointslice-controller: the addresses of the pods behind every Service, in slices of at most a hundred. */
import type { Node, Service } from '../../api/generated/core-v1.ts';
import { controllerReference, keyOf } from '../../client/index.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { ignoringGone } from '../status.ts';
import { addressTypesOf, serviceEndpoints } from './service-endpoints.ts';
import { enqueueServicesOfPods, hasSelectedPods, HEADLESS_LABEL, isHeadless, servicesOfPods, TRIGGER_TIME } from './service-pods.ts';
import { MANAGED_BY_LABEL, SERVICE_NAME_LABEL, SliceWriter } from './slice-writer.ts';
import { TriggerTimes } from './trigger-time.ts';

const WORKERS = 5;
const MANAGER = 'endpointslice-controller.k8s.io';
const NODE_INDEX = 'byNodeName';
const ZONE_LABEL = 'topology.kubernetes.io/zone';

export const endpointSliceController: ControllerDescriptor = {
  name: 'endpointslice-controller',
  aliases: ['endpointslice'],
  eventSource: 'endpoint-slice-controller',
  build(context) {
    const relations = servicesOfPods(context.informers);
    const { services } = relations;
    const pods = context.informers.informer('v1/pods', {}, { [NODE_INDEX]: (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []) });
    const nodes = context.informers.informer('v1/nodes');
    const writer = new SliceWriter(context, MANAGER);
    const triggers = new TriggerTimes();

    const reconcile = async (key: string): Promise<void> => {
      const service = services.get(key);
      if (!service || service.metadata.deletionTimestamp !== undefined) {
        triggers.forget(key);
        /** The garbage collector does it too; without it the slices of a deleted Service would mislead others. */
        if (!service) for (const slice of writer.of(key)) await writer.delete(slice);
        return;
      }
      if (service.spec?.type === 'ExternalName' || !hasSelectedPods(service) || writer.isBehind(key)) return;
      await ignoringGone(() => write(key, service));
    };

    const write = async (key: string, service: Service): Promise<void> => {
      const selected = relations.podsOf(service);
      const time = triggers.next(key, service, selected);
      const { name = '', namespace = '' } = service.metadata;
      try {
        await writer.write({
          namespace,
          service: name,
          groups: serviceEndpoints({ service, pods: selected, nodeOf: (node) => nodes.get(node) }),
          placeholders: addressTypesOf(service),
          maxPerSlice: context.config.maxEndpointsPerSlice,
          metadata: {
            labels: { ...service.metadata.labels, [SERVICE_NAME_LABEL]: name, [MANAGED_BY_LABEL]: MANAGER, ...(isHeadless(service) ? { [HEADLESS_LABEL]: '' } : {}) },
            ownerReferences: [controllerReference(service, { apiVersion: 'v1', kind: 'Service' })],
            annotations: time === undefined ? {} : { [TRIGGER_TIME]: time },
          },
        });
      } catch (error) {
        if (!context.signal.aborted) context.recorder.event(service, 'Warning', 'FailedToUpdateEndpointSlices', `Error updating Endpoint Slices for Service ${namespace}/${name}: ${error instanceof Error ? error.message : String(error)}`);
        throw error;
      }
    };

    const { queue, run } = keyedLoop(context, 'endpoint_slice', WORKERS, reconcile);
    const add = (key: string): void => queue.add(key);
    const enqueue = (service: Service): void => add(keyOf(service));
    services.addHandler({ onAdd: enqueue, onUpdate: (_, after) => enqueue(after), onDelete: enqueue });
    enqueueServicesOfPods(relations, add);
    writer.onChange(add);
    const enqueueNode = (node: Node): void => {
      for (const pod of pods.indexer.byIndex(NODE_INDEX, node.metadata.name ?? '')) relations.servicesOf(pod).forEach(add);
    };
    nodes.addHandler({
      onAdd: enqueueNode,
      onUpdate: (before, after) => {
        if (before.metadata.labels?.[ZONE_LABEL] !== after.metadata.labels?.[ZONE_LABEL]) enqueueNode(after);
      },
      onDelete: enqueueNode,
    });
    return run;
  },
};
