/** endpoints-controller: the older form of a Service's addresses, one Endpoints object of the same name. */
import type { Endpoints, Service } from '../../api/generated/core-v1.ts';
import { isAlreadyExists, isNamespaceTerminating, isNotFound, keyOf, splitKey } from '../../client/index.ts';
import { deepEqual } from '../../machinery/deep-equal.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { enqueueServicesOfPods, hasSelectedPods, HEADLESS_LABEL, isHeadless, servicesOfPods, TRIGGER_TIME } from '../endpointslice/service-pods.ts';
import { TriggerTimes } from '../endpointslice/trigger-time.ts';
import { ignoringGone } from '../status.ts';
import { subsetsOf, truncated } from './subsets.ts';

const WORKERS = 5;
const MAX_ADDRESSES = 1000;
const MANAGED_BY_LABEL = 'endpoints.kubernetes.io/managed-by';
const MANAGER = 'endpoint-controller';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';

export const endpointsController: ControllerDescriptor = {
  name: 'endpoints-controller',
  aliases: ['endpoint', 'endpoints'],
  eventSource: 'endpoint-controller',
  build(context) {
    const { client, signal } = context;
    const relations = servicesOfPods(context.informers);
    const { services } = relations;
    const endpoints = context.informers.informer('v1/endpoints');
    const resource = client.resource('v1/endpoints');
    const triggers = new TriggerTimes();

    const reconcile = async (key: string): Promise<void> => {
      const service = services.get(key);
      if (!service) {
        triggers.forget(key);
        return remove(key);
      }
      if (service.metadata.deletionTimestamp !== undefined || !hasSelectedPods(service)) return;
      const selected = relations.podsOf(service);
      const { subsets, over } = truncated(subsetsOf(service, selected), MAX_ADDRESSES);
      const current = endpoints.get(key);
      const labels = { ...service.metadata.labels, ...(isHeadless(service) ? { [HEADLESS_LABEL]: '' } : {}), [MANAGED_BY_LABEL]: MANAGER };
      const isOver = current?.metadata.annotations?.[OVER_CAPACITY] !== undefined;
      const time = triggers.next(key, service, selected);
      if (current && deepEqual(current.subsets ?? [], subsets) && deepEqual(current.metadata.labels, labels) && isOver === over) return;
      const { [TRIGGER_TIME]: _, [OVER_CAPACITY]: __, ...kept } = current?.metadata.annotations ?? {};
      const annotations = { ...kept, ...(time === undefined ? {} : { [TRIGGER_TIME]: time }), ...(over ? { [OVER_CAPACITY]: 'truncated' } : {}) };
      await ignoringGone(() => write(service, { ...current, metadata: { ...(current?.metadata ?? { name: service.metadata.name, namespace: service.metadata.namespace }), labels, annotations }, subsets }));
    };

    const write = async (service: Service, wanted: Endpoints): Promise<void> => {
      const isNew = wanted.metadata.resourceVersion === undefined;
      try {
        await (isNew ? resource.create(wanted, { signal }) : resource.update(wanted, { signal }));
      } catch (error) {
        if (isNamespaceTerminating(error) || isAlreadyExists(error)) return;
        const [reason, verb] = isNew ? ['FailedToCreateEndpoint', 'create'] : ['FailedToUpdateEndpoint', 'update'];
        if (!signal.aborted) context.recorder.event(service, 'Warning', reason!, `Failed to ${verb} endpoint for service ${keyOf(service)}: ${error instanceof Error ? error.message : String(error)}`);
        throw error;
      }
    };

    const remove = async (key: string): Promise<void> => {
      const left = endpoints.get(key);
      if (!left || left.metadata.annotations?.[LEADER] !== undefined) return;
      const { namespace, name } = splitKey(key);
      try {
        await resource.delete({ namespace, name }, { preconditions: { uid: left.metadata.uid }, signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    };

    const { queue, run } = keyedLoop(context, 'endpoint', WORKERS, reconcile);
    const add = (key: string): void => queue.add(key);
    const enqueue = (service: Service): void => add(keyOf(service));
    services.addHandler({ onAdd: enqueue, onUpdate: (_, after) => enqueue(after), onDelete: enqueue });
    enqueueServicesOfPods(relations, add);
    endpoints.addHandler({
      /** At the start also those whose Service went while nobody looked; later ones may come before their Service. */
      onAdd: (object, { initial }) => (initial || services.get(keyOf(object))) && add(keyOf(object)),
      onUpdate: (_, after) => services.get(keyOf(after)) && add(keyOf(after)),
      onDelete: (object) => add(keyOf(object)),
    });
    return run;
  },
};
