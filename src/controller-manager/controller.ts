/**
 * What a controller is here: a descriptor with a name and how to build it. Built, it registers on informers and
 * returns its loop. A reconciler gets only a key, reads from informers, writes through the client, and may be killed
 * at any line: whatever it was about to do it finds again from the state of the cluster.
 */
import type { Client, EventRecorder, InformerFactory } from '../client/index.ts';
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

export interface KeyedLoop {
  readonly queue: WorkQueue<string>;
  run(): Promise<void>;
}

/** The loop of most controllers: a queue of `namespace/name` keys, worked off by `reconcile`. */
export function keyedLoop(context: ControllerContext, name: string, workers: number, reconcile: (key: string) => Promise<void>): KeyedLoop {
  const { clock, metrics, logger, signal } = context;
  const queue = new WorkQueue<string>({ name, clock, metrics });
  const concurrency = context.config.concurrentSyncs[name] ?? workers;
  return { queue, run: () => runWorkers({ queue, workers: concurrency, handle: reconcile, isExpected: isConflict, signal, logger }) };
}
