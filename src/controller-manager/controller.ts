/**
 * What a controller is here: a descriptor with a name and how to build it. Built, it registers on informers and
 * returns its loop. A reconciler gets only a key, reads from informers, writes through the client, and may be killed
 * at any line: whatever it was about to do it finds again from the state of the cluster.
 */
import type { ApiObject, Client, EventRecorder, InformerFactory, SharedInformer } from '../client/index.ts';
import { isConflict } from '../client/index.ts';
import { runWorkers, WorkQueue, type Context } from '../kernel/index.ts';
import type { ControllerManagerConfig } from './config.ts';
import type { DiscoveredResources } from './discovered-resources.ts';

export { enqueueOnChange } from '../client/index.ts';

export interface ControllerContext extends Context {
  /** As the controller's own user where the manager uses a ServiceAccount per controller. */
  readonly client: Client;
  readonly informers: InformerFactory;
  /** Objects of every kind, custom ones included. */
  readonly discovered: DiscoveredResources;
  readonly recorder: EventRecorder;
  readonly config: ControllerManagerConfig;
}

export interface ControllerDescriptor {
  /** As `--controllers` names it: `deployment-controller`. */
  readonly name: string;
  /** Older names that `--controllers` still takes. */
  readonly aliases?: readonly string[];
  readonly disabledByDefault?: true;
  /** The component name of its events: `deployment-controller`. */
  readonly eventSource?: string;
  /** Asks for informers and returns the loop, which is started once they have synced and ends with the signal. */
  build(context: ControllerContext): () => Promise<void>;
}

/** Reconciles one object. It may ask to be called again for the same key after a while. */
export interface Reconciler {
  /** `requeueAfter` does what a returned Requeue does, and holds also when the call fails afterwards. */
  reconcile(key: string, requeueAfter: (ms: number) => void): Promise<Requeue | void>;
}

export interface Requeue {
  readonly afterMs: number;
}

/** A key to reconcile at once, or after a while. */
export type Keyed = string | { readonly key: string; readonly afterMs: number };

type Keys = Iterable<Keyed> | undefined | void;

/** How the events of one watched resource become keys to reconcile. An event that has no function here is ignored. */
export interface EventKeys<T> {
  /** `initial`: the object was there before the controller began to watch. */
  added?(object: T, event: { readonly initial: boolean }): Keys;
  updated?(before: T, after: T): Keys;
  deleted?(object: T): Keys;
}

/** For keys that an update may change: it concerns those of the object as it is, and as it was. */
export function keysOnChange<T>(keysOf: (object: T) => readonly Keyed[]): EventKeys<T> {
  return { added: keysOf, updated: (before, after) => [...keysOf(after), ...keysOf(before)], deleted: keysOf };
}

/** One row of a controller's table of watches; it registers on its informer and adds the keys to the queue. */
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

/** A row for keys that no watched resource brings: another reconciler asks for them, or a timer. */
export class KeySource {
  #add: (keyed: Keyed) => void = () => {};

  readonly watch: Watch = (add) => {
    this.#add = add;
  };

  add(keyed: Keyed): void {
    this.#add(keyed);
  }
}

export interface KeyedController {
  /** The queue's name in metrics and in the configured numbers of concurrent syncs. */
  readonly queue: string;
  readonly workers: number;
  readonly reconciler: Reconciler;
  readonly watches: readonly Watch[];
}

/** The loop of a controller that is a table of watches and a reconciler. */
export function keyedController(
  context: ControllerContext,
  { queue: name, workers, reconciler, watches }: KeyedController,
): () => Promise<void> {
  const { queue, run } = keyedLoop(context, name, workers, async (key) => {
    const requeue = await reconciler.reconcile(key, (ms) => queue.addAfter(key, ms));
    if (requeue) queue.addAfter(key, requeue.afterMs);
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

export interface PeriodicWork {
  readonly periodMs: number;
  /** What the log says when the work fails; it is done again after the period all the same. */
  readonly failure: string;
  work(): Promise<void>;
}

/** The loop of a controller that does its work once a period, the first time at once. */
export function periodicLoop({ clock, signal, logger }: ControllerContext, options: PeriodicWork): () => Promise<void> {
  const { periodMs, failure, work } = options;
  return async () => {
    while (!signal.aborted) {
      await work().catch((error: unknown) => signal.aborted || logger.error(error, failure));
      await clock.sleep(periodMs, signal).catch(() => {});
    }
  };
}

export interface KeyedLoop {
  readonly queue: WorkQueue<string>;
  run(): Promise<void>;
}

/** The loop of most controllers: a queue of `namespace/name` keys, worked off by `reconcile`. */
export function keyedLoop(
  context: ControllerContext,
  name: string,
  workers: number,
  reconcile: (key: string) => Promise<void>,
): KeyedLoop {
  const { clock, metrics, logger, signal } = context;
  const queue = new WorkQueue<string>({ name, clock, metrics });
  const concurrency = context.config.concurrentSyncs[name] ?? workers;
  return {
    queue,
    run: () => runWorkers({ queue, workers: concurrency, handle: reconcile, isExpected: isConflict, signal, logger }),
  };
}
