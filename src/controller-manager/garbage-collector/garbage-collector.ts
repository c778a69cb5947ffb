/**
 * garbage-collector-controller: deletes objects whose owners are gone, and orphans dependents with propagation policy
 * Orphan. It watches the metadata of every kind, custom kinds included, keeps a graph of owners and dependents, and
 * reads the live object before it acts on the graph.
 */
import type { OwnerReference } from '../../api/generated/meta-v1.ts';
import { apiVersionOf, isConflict, tracedWork, type ApiObject, type DiscoveredResource } from '../../client/index.ts';
import { runWorkers, WorkQueue } from '../../kernel/index.ts';
import type { ControllerContext, ControllerDescriptor } from '../controller.ts';
import type { ResourceHandler } from '../discovered-resources.ts';
import { collectNode, orphanDependents, type Collector } from './collect.ts';
import { OwnershipGraph, type GraphListener, type GraphNode } from './graph.ts';
import { ObjectClient, UnknownKind } from './object-client.ts';

const WORKERS = 20;
const TO_DELETE = 'garbage_collector_attempt_to_delete';
const TO_ORPHAN = 'garbage_collector_attempt_to_orphan';

export const garbageCollectorController: ControllerDescriptor = {
  name: 'garbage-collector-controller',
  aliases: ['garbagecollector'],
  build(context) {
    const collector = new GarbageCollector(context);
    context.discovered.use(collector);
    return () => collector.run();
  },
};

class GarbageCollector implements Collector, GraphListener, ResourceHandler {
  readonly graph = new OwnershipGraph(this);
  readonly objects: ObjectClient;
  readonly #context: ControllerContext;
  readonly #toDelete: WorkQueue<string>;
  readonly #toOrphan: WorkQueue<string>;
  /** Objects that are of a kind, or have an owner of a kind, that the server does not serve yet. */
  readonly #ofUnknownKind = new Set<string>();
  readonly #syncErrors;

  constructor(context: ControllerContext) {
    const { client, clock, discovered, metrics, signal } = context;
    this.#context = context;
    this.#syncErrors = metrics.counter({
      name: 'garbagecollector_controller_resources_sync_error_total',
      help: 'How often the garbage collector could not learn which resources there are.',
    });
    this.objects = new ObjectClient(client, discovered, signal);
    this.#toDelete = new WorkQueue({ name: TO_DELETE, clock, metrics });
    this.#toOrphan = new WorkQueue({ name: TO_ORPHAN, clock, metrics });
  }

  async run(): Promise<void> {
    await Promise.all([
      this.#runWorkers(this.#toDelete, TO_DELETE, (uid, worker) => this.#collect(uid, this.#writingAs(worker))),
      this.#runWorkers(this.#toOrphan, TO_ORPHAN, (uid, worker) => this.#orphan(uid, this.#writingAs(worker))),
    ]);
  }

  onAdd(resource: DiscoveredResource, object: ApiObject): void {
    this.graph.set(withKind(resource, object), undefined);
  }

  onUpdate(resource: DiscoveredResource, before: ApiObject, after: ApiObject): void {
    this.graph.set(withKind(resource, after), before);
  }

  onDelete(_: DiscoveredResource, object: ApiObject): void {
    this.graph.delete(object.metadata.uid ?? '');
  }

  onNewResources(): void {
    for (const uid of this.#ofUnknownKind) this.#toDelete.add(uid);
    this.#ofUnknownKind.clear();
  }

  onDiscoveryFailed(): void {
    this.#syncErrors.inc();
  }

  attemptToDelete(node: GraphNode): void {
    this.#toDelete.add(node.identity.uid);
  }

  attemptToOrphan(node: GraphNode): void {
    this.#toOrphan.add(node.identity.uid);
  }

  ownerInOtherNamespace(dependent: GraphNode, { apiVersion, kind, name, uid }: OwnerReference): void {
    const { namespace, ...identity } = dependent.identity;
    const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
    const reference = { ...identity, ...(namespace === '' ? {} : { namespace }) };
    const message = `ownerRef ${owner} does not exist in namespace "${namespace}"`;
    this.#context.recorder.event({ reference }, 'Warning', 'OwnerRefInvalidNamespace', message);
  }

  /** The collector as one worker has it: its writes are caused by what the worker is doing. */
  #writingAs({ client, discovered, signal }: ControllerContext): Collector {
    return {
      graph: this.graph,
      objects: new ObjectClient(client, discovered, signal),
      ownerInOtherNamespace: (dependent, reference) => this.ownerInOtherNamespace(dependent, reference),
      attemptToDelete: (node) => this.attemptToDelete(node),
    };
  }

  async #collect(uid: string, collector: Collector): Promise<void> {
    const node = await this.#nodeOf(uid);
    if (!node) return void this.#ofUnknownKind.delete(uid);
    try {
      await collectNode(collector, node);
    } catch (error) {
      if (!(error instanceof UnknownKind)) throw error;
      this.#context.logger.v(5).info('The server does not serve the kind of an owner', { err: error });
      this.#ofUnknownKind.add(uid);
      return;
    }
    // The object exists although no event has shown it: the informer's event may still come.
    if (node.virtual && this.graph.get(uid) === node) this.#toDelete.addRateLimited(uid);
  }

  async #orphan(uid: string, collector: Collector): Promise<void> {
    const node = await this.#nodeOf(uid);
    if (node) await orphanDependents(collector, node);
  }

  #describe(uid: string): string {
    const identity = this.graph.get(uid)?.identity;
    if (!identity) return uid;
    const { kind, namespace, name } = identity;
    return namespace ? `${kind} ${namespace}/${name}` : `${kind} ${name}`;
  }

  /** Waits for all resources: an object that was not read yet might be a dependent that blocks or must be orphaned. */
  async #nodeOf(uid: string): Promise<GraphNode | undefined> {
    await this.#context.discovered.settled();
    return this.graph.get(uid);
  }

  /** `--concurrent-gc-syncs` is the number of workers of each queue. */
  #runWorkers(
    queue: WorkQueue<string>,
    name: string,
    work: (uid: string, worker: ControllerContext) => Promise<void>,
  ): Promise<void> {
    const handle = tracedWork(this.#context, name, work, (uid) => this.#describe(uid));
    const { config, signal, logger } = this.#context;
    const workers = config.concurrentSyncs[TO_DELETE] ?? WORKERS;
    return runWorkers({ queue, workers, handle, isExpected: isConflict, signal, logger });
  }
}

/** Metadata answers have the kind PartialObjectMetadata instead of the object's own. */
function withKind(resource: DiscoveredResource, object: ApiObject): ApiObject {
  return { metadata: object.metadata, apiVersion: apiVersionOf(resource), kind: resource.kind };
}
