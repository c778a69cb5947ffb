/** endpoints-controller: writes the legacy Endpoints object of every Service with a selector. */
import { keyOf, type ApiObject } from '../../client/index.ts';
import {
  keyedController,
  watch,
  type ControllerContext,
  type ControllerDescriptor,
  type Watch,
} from '../controller.ts';
import { servicesOfPods, watchServicesOfPods } from '../endpointslice/service-pods.ts';
import { TriggerTimes } from '../endpointslice/trigger-time.ts';
import { EndpointsReconciler, type EndpointsParts } from './reconcile.ts';

export const endpointsController: ControllerDescriptor = {
  name: 'endpoints-controller',
  aliases: ['endpoint', 'endpoints'],
  eventSource: 'endpoint-controller',
  build(context) {
    const parts = {
      relations: servicesOfPods(context.informers),
      endpoints: context.informers.informer('v1/endpoints'),
    };
    const triggers = new TriggerTimes();
    const reconciler = (worker: ControllerContext) => new EndpointsReconciler(worker, parts, triggers);
    return keyedController(context, { queue: 'endpoint', workers: 5, reconciler, watches: endpointsWatches(parts) });
  },
};

function endpointsWatches({ relations, endpoints }: EndpointsParts): readonly Watch[] {
  const { services } = relations;
  const itself = (object: ApiObject): string[] => [keyOf(object)];
  const ofService = (object: ApiObject): string[] => (services.get(keyOf(object)) ? itself(object) : []);
  return [
    watch(services, { added: itself, updated: (_, after) => itself(after), deleted: itself }),
    watchServicesOfPods(relations),
    watch(endpoints, {
      // Endpoints that exist at the start may belong to a deleted Service. Later ones may be seen before their Service.
      added: (object, { initial }) => (initial ? itself(object) : ofService(object)),
      updated: (_, after) => ofService(after),
      deleted: itself,
    }),
  ];
}
