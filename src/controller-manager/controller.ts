/**
 * What a controller is: a descriptor with a name, and a function that registers on informers and returns its loop. A
 * reconciler gets only a key, reads from informers and writes through the client. It may be killed at any line, because
 * it derives what to do from the state of the cluster.
 */
import type { ApiObject, Client, EventRecorder, InformerFactory, SharedInformer } from '../client/index.ts';
import { isConflict, tracedWork, type Work } from '../client/index.ts';
import { runWorkers, WorkQueue, type Context } from '../kernel/index.ts';
import type { ControllerManagerConfig } from './config.ts';
import type { DiscoveredResources } from './discovered-resources.ts';

export { enqueueOnChange } from '../client/index.ts';

export interface ControllerContext extends Context {
  /** With the controller's own ServiceAccount under `--use-service-account-credentials`. */
  readonly client: Client;
  readonly informers: InformerFactory;
  /** Metadata informers of every resource, custom resources included. */
  readonly discovered: DiscoveredResources;
  readonly recorder: EventRecorder;
  readonly config: ControllerManagerConfig;
}

export interface ControllerDescriptor {
  /** The name in `--controllers`: `deployment-controller`. */
  readonly name: string;
  /** Older names that `--controllers` still accepts. */
  readonly aliases?: readonly string[];
  readonly disabledByDefault?: true;
  /** The component name of its events: `deployment-controller`. */
  readonly eventSource?: string;
  /** Requests informers and returns the loop, which starts when they have synced and ends with the signal. */
  build(context: ControllerContext): () => Promise<void>;
}

/** Reconciles one object, and may request another call for the same key. */
export interface Reconciler {
  /** `requeueAfter` works like a returned Requeue, also when the call fails afterwards. */
  reconcile(key: string, requeueAfter: (ms: number) => void): Promise<Requeue | void>;
}

export interface Requeue {
  readonly afterMs: number;
}

/** A key to reconcile now, or after a delay. */
export type Keyed = string | { readonly key: string; readonly afterMs: number };

type Keys = Iterable<Keyed> | undefined | void;

/** Maps the events of a watched resource to keys to reconcile. Events without a function are ignored. */
interface EventKeys<T> {
  /** `initial`: the object existed before the controller started. */
  added?(object: T, event: { readonly initial: boolean }): Keys;
  updated?(before: T, after: T): Keys;
  deleted?(object: T): Keys;
}

/** For keys that an update may change: those of the old and of the new object are reconciled. */
export function keysOnChange<T>(keysOf: (object: T) => readonly Keyed[]): EventKeys<T> {
  return { added: keysOf, updated: (before, after) => [...keysOf(after), ...keysOf(before)], deleted: keysOf };
}

/** One entry of a controller's watches: registers on an informer, and adds keys to the queue. */
export type Watch = (add: (keyed: Keyed) => void) => void;

export function watch<T extends ApiObject>(
  informer: SharedInformer<T>,
  { added, updated, deleted }: NoInfer<EventKeys<T>>,
): Watch {
  return (add) => {
    const addAll = (keys: Keys): void => {
      if (keys) for (const keyed of keys) add(keyed);
    };
    informer.addHandler({
      ...(added ? { onAdd: (object, event) => addAll(added(object, event)) } : {}),
      ...(updated ? { onUpdate: (before, after) => addAll(updated(before, after)) } : {}),
      ...(deleted ? { onDelete: (object) => addAll(deleted(object)) } : {}),
    });
  };
}

/** A watch for keys that come from another reconciler or a timer. */
export class KeySource {
  #add: (keyed: Keyed) => void = () => {};

  readonly watch: Watch = (add) => {
    this.#add = add;
  };

  add(keyed: Keyed): void {
    this.#add(keyed);
  }
}

interface KeyedController {
  /** The name of the work queue in metrics and in `concurrentSyncs`. */
  readonly queue: string;
  readonly workers: number;
  /** The reconciler of one worker: what it writes through `context` is caused by what the worker reconciles. */
  readonly reconciler: (context: ControllerContext) => Reconciler;
  readonly watches: readonly Watch[];
}

/** The loop of a controller that has watches and a reconciler. */
export function keyedController(
  context: ControllerContext,
  { queue: name, workers, reconciler, watches }: KeyedController,
): () => Promise<void> {
  const reconcilers = new WeakMap<ControllerContext, Reconciler>();
  const reconcilerOf = (worker: ControllerContext): Reconciler => {
    const known = reconcilers.get(worker) ?? reconciler(worker);
    reconcilers.set(worker, known);
    return known;
  };
  const { queue, run } = keyedLoop(context, name, workers, async (key, worker, causes) => {
    const requeue = await reconcilerOf(worker).reconcile(key, (ms) => queue.addAfter(key, ms, causes));
    if (requeue) queue.addAfter(key, requeue.afterMs, causes);
  });
  const add = (keyed: Keyed): void => {
    if (typeof keyed === 'string') queue.add(keyed);
    else queue.addAfter(keyed.key, keyed.afterMs);
  };
  for (const register of watches) register(add);
  return run;
}

/** The loop of a controller with several queues. */
export function runTogether(loops: readonly (() => Promise<void>)[]): () => Promise<void> {
  return async () => {
    await Promise.all(loops.map((run) => run()));
  };
}

interface PeriodicWork {
  readonly periodMs: number;
  /** The log message when the work fails; it is repeated after the period in any case. */
  readonly failure: string;
  work(): Promise<void>;
}

/** The loop of a periodic controller; the first period starts at once. */
export function periodicLoop({ clock, signal, logger }: ControllerContext, options: PeriodicWork): () => Promise<void> {
  const { periodMs, failure, work } = options;
  return async () => {
    while (!signal.aborted) {
      await work().catch((error: unknown) => signal.aborted || logger.error(error, failure));
      await clock.sleep(periodMs, signal).catch(() => {});
    }
  };
}

interface KeyedLoop {
  readonly queue: WorkQueue<string>;
  run(): Promise<void>;
}

export type Reconcile = Work<ControllerContext>;

/** A work queue of `namespace/name` keys, and the loop that reconciles them. */
export function keyedLoop(context: ControllerContext, name: string, workers: number, reconcile: Reconcile): KeyedLoop {
  const { clock, metrics, logger, signal } = context;
  const queue = new WorkQueue<string>({ name, clock, metrics });
  const concurrency = context.config.concurrentSyncs[name] ?? workers;
  const handle = tracedWork(context, name, reconcile);
  return {
    queue,
    run: () => runWorkers({ queue, workers: concurrency, handle, isExpected: isConflict, signal, logger }),
  };
}
