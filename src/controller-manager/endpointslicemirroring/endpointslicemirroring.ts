/** endpointslice-mirroring-controller: mirrors the Endpoints of Services without a selector as EndpointSlices. */
import type { Endpoints, Service } from '../../api/generated/core-v1.ts';
import { controllerReference, keyOf } from '../../client/index.ts';
import { keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { TRIGGER_TIME } from '../endpointslice/service-pods.ts';
import { MANAGED_BY_LABEL, SERVICE_NAME_LABEL, SliceWriter } from '../endpointslice/slice-writer.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { MirroringMetrics } from './metrics.ts';
import { mirrorGroups } from './mirror-groups.ts';

const WORKERS = 5;
const MAX_ENDPOINTS_PER_SLICE = 1000;
const MANAGER = 'endpointslicemirroring-controller.k8s.io';
const SKIP_LABEL = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export const endpointSliceMirroringController: ControllerDescriptor = {
  name: 'endpointslice-mirroring-controller',
  aliases: ['endpointslicemirroring'],
  eventSource: 'endpoint-slice-mirroring-controller',
  build(context) {
    const services = context.informers.informer('v1/services');
    const endpoints = context.informers.informer('v1/endpoints');
    const shared = SliceWriter.shared(context, MANAGER, 'endpoint_slice_mirroring_controller');
    const metrics = new MirroringMetrics(context.metrics);
    const writers = new WeakMap<ControllerContext, SliceWriter>();
    const writerOf = (worker: ControllerContext): SliceWriter => {
      const known = writers.get(worker) ?? shared.forWorker(worker);
      writers.set(worker, known);
      return known;
    };

    const reconcile = async (key: string, worker: ControllerContext): Promise<void> => {
      const writer = writerOf(worker);
      const source = endpoints.get(key);
      const service = services.get(key);
      if (!source || !service || !isMirrored(source) || Object.keys(service.spec?.selector ?? {}).length > 0) {
        writer.forget(key);
        for (const slice of writer.of(key)) await writer.delete(slice);
        return;
      }
      if (writer.isBehind(key)) return;
      const { name = '', namespace = '' } = source.metadata;
      const { [LAST_APPLIED]: _, [TRIGGER_TIME]: __, ...annotations } = source.metadata.annotations ?? {};
      const { groups, skipped } = mirrorGroups(source, context.config.mirroringMaxEndpointsPerSubset);
      const plan = await ignoreNotFound(() =>
        writer.write({
          namespace,
          service: name,
          groups,
          placeholders: [],
          maxPerSlice: MAX_ENDPOINTS_PER_SLICE,
          metadata: {
            labels: { ...source.metadata.labels, [SERVICE_NAME_LABEL]: name, [MANAGED_BY_LABEL]: MANAGER },
            ownerReferences: [controllerReference(source, { apiVersion: 'v1', kind: 'Endpoints' })],
            annotations,
          },
        }),
      );
      metrics.mirrored({ skipped, updated: plan?.endpointsUpdated ?? 0 });
    };
    const timedReconcile = async (key: string, worker: ControllerContext): Promise<void> => {
      const started = context.clock.monotonic();
      try {
        await reconcile(key, worker);
      } finally {
        metrics.synced((context.clock.monotonic() - started) / 1000);
      }
    };

    const { queue, run } = keyedLoop(context, 'endpoint_slice_mirroring', WORKERS, timedReconcile);
    const enqueue = (object: Endpoints | Service): void => queue.add(keyOf(object));
    endpoints.addHandler({ onAdd: enqueue, onUpdate: (_, after) => enqueue(after), onDelete: enqueue });
    services.addHandler({ onAdd: enqueue, onUpdate: (_, after) => enqueue(after), onDelete: enqueue });
    shared.onChange((key) => queue.add(key));
    return run;
  },
};

const isMirrored = ({ metadata }: Endpoints): boolean =>
  metadata.labels?.[SKIP_LABEL] !== 'true' &&
  metadata.annotations?.[LEADER] === undefined &&
  metadata.deletionTimestamp === undefined;
