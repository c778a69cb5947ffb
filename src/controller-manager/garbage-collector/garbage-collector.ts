/**
 * garbage-collector-controller: removes objects whose owners are gone. It follows the metadata of every kind, custom
 * ones included, keeps a graph of who owns whom, and asks the server before it acts on what the graph says.
 */
import type { OwnerReference } from '../../api/generated/meta-v1.ts';
import { apiVersionOf, isConflict, type ApiObject, type DiscoveredResource } from '../../client/index.ts';
import { runWorkers, WorkQueue } from '../../kernel/index.ts';
import type { ControllerDescriptor } from '../controller.ts';
import { collectNode, orphanDependents, type Collector } from './collect.ts';
import { OwnershipGraph, type GraphNode } from './graph.ts';
import { CollectedObjects, UnknownKind } from './objects.ts';

const WORKERS = 20;

export const garbageCollectorController: ControllerDescriptor = {
  name: 'garbage-collector-controller',
  aliases: ['garbagecollector'],
  build(context) {
    const { client, clock, metrics, logger, signal, recorder, discovered } = context;
    const toDelete = new WorkQueue<string>({ name: 'garbage_collector_attempt_to_delete', clock, metrics });
    const toOrphan = new WorkQueue<string>({ name: 'garbage_collector_attempt_to_orphan', clock, metrics });

    /** Objects, or owners, of which nothing can be said until their kinds are served. */
    const ofUnknownKind = new Set<string>();

    const attemptToDelete = (node: GraphNode): void => toDelete.add(node.identity.uid);
    const ownerInOtherNamespace = (dependent: GraphNode, reference: OwnerReference): void => {
      const { namespace, ...identity } = dependent.identity;
      const owner = `[${reference.apiVersion}/${reference.kind}, namespace: ${namespace}, name: ${reference.name}, uid: ${reference.uid}]`;
      const involved = { ...identity, ...(namespace === '' ? {} : { namespace }) };
      recorder.event(
        { reference: involved },
        'Warning',
        'OwnerRefInvalidNamespace',
        `ownerRef ${owner} does not exist in namespace "${namespace}"`,
      );
    };
    const graph = new OwnershipGraph({
      attemptToDelete,
      attemptToOrphan: (node) => toOrphan.add(node.identity.uid),
      ownerInOtherNamespace,
    });
    const collector: Collector = {
      graph,
      objects: new CollectedObjects(client, discovered, signal),
      ownerInOtherNamespace,
      attemptToDelete,
    };

    discovered.use({
      onAdd: (resource, object) => graph.set(named(resource, object), undefined),
      onUpdate: (resource, before, after) => graph.set(named(resource, after), before),
      onDelete: (_, object) => graph.delete(object.metadata.uid ?? ''),
      onNewResources: () => {
        for (const uid of ofUnknownKind) toDelete.add(uid);
        ofUnknownKind.clear();
      },
    });

    /** What has not been read yet might be a dependent that blocks, or one that must be orphaned. */
    const collect = async (uid: string): Promise<void> => {
      await discovered.settled();
      const node = graph.get(uid);
      if (!node) return void ofUnknownKind.delete(uid);
      try {
        await collectNode(collector, node);
      } catch (error) {
        if (!(error instanceof UnknownKind)) throw error;
        logger.v(5).info('An owner is of a kind that the server does not have', { err: error });
        ofUnknownKind.add(uid);
        return;
      }
      /** The object exists although no event has told of it: the informer will; if not, it is looked at again. */
      if (node.virtual && graph.get(uid) === node) toDelete.addRateLimited(uid);
    };

    const orphan = async (uid: string): Promise<void> => {
      await discovered.settled();
      const node = graph.get(uid);
      if (node) await orphanDependents(collector, node);
    };

    return async () => {
      await Promise.all([
        runWorkers({
          queue: toDelete,
          workers: context.config.concurrentSyncs['garbage_collector_attempt_to_delete'] ?? WORKERS,
          handle: collect,
          isExpected: isConflict,
          signal,
          logger,
        }),
        runWorkers({
          queue: toOrphan,
          workers: context.config.concurrentSyncs['garbage_collector_attempt_to_delete'] ?? WORKERS,
          handle: orphan,
          isExpected: isConflict,
          signal,
          logger,
        }),
      ]);
    };
  },
};

/** Metadata answers call every object PartialObjectMetadata; the resource knows better. */
function named(resource: DiscoveredResource, object: ApiObject): ApiObject {
  return { metadata: object.metadata, apiVersion: apiVersionOf(resource), kind: resource.kind };
}
