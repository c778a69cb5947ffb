/**
 * Metadata informers for every resource that can be listed, watched and deleted, custom resources included. They start
 * and stop with the resource; where a controller has an informer of whole objects, that one is used. The garbage
 * collector and other controllers of all kinds share them; nothing runs until one of them calls `use`.
 */
import {
  apiVersionOf,
  scoped,
  RepeatedDiscovery,
  SharedInformer,
  type ApiObject,
  type Client,
  type Discovery,
  type DiscoveredResource,
  type InformerFactory,
} from '../client/index.ts';
import { type Context, RunGroup, untilAborted } from '../kernel/index.ts';

/** Discovery is repeated, because resources of aggregated API servers change without an event. */
const REFRESH_MS = 30_000;
/** A new CustomResourceDefinition is served a moment after its Established condition. */
const REFRESH_AFTER_CHANGE_MS = 50;
/** A resource that cannot be listed, such as when its conversion webhook fails, must not block the others. */
const SYNC_TIMEOUT_MS = 30_000;

/** Events are many and short-lived, and have no owners and no quota. */
const IGNORED = new Set(['/events', 'events.k8s.io/events']);

const API_SERVICES = 'apiregistration.k8s.io/v1/apiservices';

const WATCHED_VERBS = ['list', 'watch', 'delete'];

export interface ResourceHandler {
  onAdd?(resource: DiscoveredResource, object: ApiObject): void;
  onUpdate?(resource: DiscoveredResource, before: ApiObject, after: ApiObject): void;
  onDelete?(resource: DiscoveredResource, object: ApiObject): void;
  /** Discovery has found new resources. */
  onNewResources?(): void;
  /** Discovery has failed, and will be tried again. */
  onDiscoveryFailed?(): void;
}

interface Monitor {
  readonly resource: DiscoveredResource;
  readonly informer: SharedInformer<ApiObject>;
  readonly abort: AbortController;
}

export class DiscoveredResources {
  readonly #ctx: Context;
  readonly #client: Client;
  readonly #discovery: RepeatedDiscovery;
  /** What the last discovery found. */
  #discovered: Discovery | undefined;
  readonly #informers: InformerFactory;
  readonly #handlers: ResourceHandler[] = [];
  readonly #monitors = new Map<string, Monitor>();
  /** Informers that have not synced yet. */
  readonly #reading = new Set<Promise<void>>();
  #used = false;
  #group: RunGroup | undefined;
  #resources: readonly DiscoveredResource[] = [];
  #refreshing: Promise<void> | undefined;
  #refreshAgain = false;
  #hasFailed = false;
  #firstDiscovery: Promise<void> | undefined;

  constructor(ctx: Context, options: { client: Client; informers: InformerFactory }) {
    this.#ctx = ctx;
    this.#client = options.client;
    this.#discovery = new RepeatedDiscovery(options.client);
    this.#informers = options.informers;
  }

  /** To be called while controllers are built. */
  use(handler: ResourceHandler): void {
    this.#handlers.push(handler);
    if (this.#used) return;
    this.#used = true;
    // Changes come in bursts, such as at the start, and one discovery is enough for all of them.
    let waiting = false;
    const changed = (): void => {
      if (waiting) return;
      waiting = true;
      this.#ctx.clock.after(REFRESH_AFTER_CHANGE_MS, () => {
        waiting = false;
        void this.refresh();
      });
    };
    const onChange = { onAdd: changed, onUpdate: changed, onDelete: changed };
    this.#informers.informer('apiextensions.k8s.io/v1/customresourcedefinitions').addHandler(onChange);
    this.#informers.informer(API_SERVICES).addHandler(onChange);
  }

  /** Every resource, in every version. */
  get resources(): readonly DiscoveredResource[] {
    return this.#resources;
  }

  /** The resource of a kind in the version that a reference names. */
  findKind(apiVersion: string, kind: string): DiscoveredResource | undefined {
    return this.#resources.find((resource) => resource.kind === kind && apiVersionOf(resource) === apiVersion);
  }

  /** The informer of a resource, by group and plural. */
  informer(group: string, plural: string): SharedInformer<ApiObject> | undefined {
    return this.#monitors.get(`${group}/${plural}`)?.informer;
  }

  async run(): Promise<void> {
    if (!this.#used) return;
    const { signal, logger, clock } = this.#ctx;
    const group = (this.#group = new RunGroup({ signal, logger }));
    const timer = clock.every(REFRESH_MS, () => {
      if (this.#mayHaveChanged()) void this.refresh();
    });
    group.start('until stopped', untilAborted);
    this.#firstDiscovery = this.refresh();
    try {
      await group.wait();
    } finally {
      timer.cancel();
    }
  }

  /** A server in this process has only what its definitions say, of whose changes there are events, and what it aggregates. */
  #mayHaveChanged(): boolean {
    if (!this.#client.isInProcess || this.#hasFailed) return true;
    const { unavailable = [] } = this.#discovered ?? {};
    if (unavailable.length > 0) return true;
    return this.#informers
      .informer(API_SERVICES)
      .list()
      .some(({ spec }) => spec?.service !== undefined);
  }

  /** Resolves when the informer of every known resource has synced or timed out. */
  async settled(): Promise<void> {
    await this.#firstDiscovery;
    if (this.#reading.size > 0) await Promise.all(this.#reading);
  }

  /** Runs discovery. A call during a run causes one more run after it. */
  async refresh(): Promise<void> {
    if (this.#group === undefined) return;
    if (this.#refreshing) {
      this.#refreshAgain = true;
      return this.#refreshing;
    }
    this.#refreshing = (async () => {
      do {
        this.#refreshAgain = false;
        await this.#refreshOnce();
      } while (this.#refreshAgain);
    })().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #refreshOnce(): Promise<void> {
    const { signal, logger } = this.#ctx;
    try {
      const found = await this.#discovery.read(signal);
      this.#hasFailed = false;
      if (found === this.#discovered) return;
      this.#discovered = found;
      const { resources, unavailable } = found;
      const lost = new Set(unavailable);
      // Resources of a group version whose discovery failed are kept.
      const unknown = this.#resources.filter(
        (resource) => lost.has(apiVersionOf(resource)) && !resources.some((r) => sameResource(r, resource)),
      );
      const known = new Set(this.#resources.map(versionedName));
      this.#resources = [...resources, ...unknown];
      this.#follow(preferredResources(this.#resources).filter(isWatchable));
      if (this.#resources.some((resource) => !known.has(versionedName(resource))))
        this.#notify((handler) => handler.onNewResources?.());
    } catch (error) {
      this.#hasFailed = true;
      if (signal.aborted) return;
      logger.error(error, 'Failed to discover the resources of the server');
      this.#notify((handler) => handler.onDiscoveryFailed?.());
    }
  }

  #follow(wanted: readonly DiscoveredResource[]): void {
    const names = new Set(wanted.map(nameOf));
    for (const [name, monitor] of this.#monitors) {
      if (names.has(name)) continue;
      monitor.abort.abort();
      this.#monitors.delete(name);
    }
    for (const resource of wanted) {
      const known = this.#monitors.get(nameOf(resource));
      if (known && known.resource.version === resource.version) continue;
      known?.abort.abort();
      this.#monitors.set(nameOf(resource), this.#monitor(resource));
    }
  }

  #monitor(resource: DiscoveredResource): Monitor {
    const { clock } = this.#ctx;
    const abort = new AbortController();
    const informer = this.#informers.existing(resource) ?? this.#startInformer(resource, abort);
    const leave = informer.addHandler({
      onAdd: (object) => {
        for (const handler of this.#handlers) handler.onAdd?.(resource, object);
      },
      onUpdate: (before, after) => {
        for (const handler of this.#handlers) handler.onUpdate?.(resource, before, after);
      },
      onDelete: (object) => {
        for (const handler of this.#handlers) handler.onDelete?.(resource, object);
      },
    });
    abort.signal.addEventListener('abort', leave, { once: true });
    // Ends the deadline with the wait, because its timer would keep a stopped cluster in memory.
    const read = new AbortController();
    const settled = informer
      .waitForSync(clock.deadline(SYNC_TIMEOUT_MS, AbortSignal.any([abort.signal, read.signal])))
      .catch(() => {})
      .finally(() => {
        read.abort();
        this.#reading.delete(settled);
      });
    this.#reading.add(settled);
    return { resource, informer, abort };
  }

  #startInformer(resource: DiscoveredResource, abort: AbortController): SharedInformer<ApiObject> {
    const { clock, random, logger } = this.#ctx;
    const name = nameOf(resource);
    const informer = new SharedInformer<ApiObject>({
      clock,
      random: random.fork(`metadata/${name}`),
      logger: logger.named('metadata-informer').with({ resource: name }),
      source: scoped(this.#client.metadata(resource), {}),
    });
    this.#group?.start(`metadata of ${name}`, async (signal) => {
      const stop = (): void => abort.abort();
      signal.addEventListener('abort', stop, { once: true });
      await informer.run(abort.signal);
      signal.removeEventListener('abort', stop);
    });
    return informer;
  }

  #notify(call: (handler: ResourceHandler) => void): void {
    for (const handler of this.#handlers) call(handler);
  }
}

/** One version of each resource: the group's preferred one, if it has the resource. */
export function preferredResources(resources: readonly DiscoveredResource[]): DiscoveredResource[] {
  const chosen = new Map<string, DiscoveredResource>();
  for (const resource of resources) {
    const known = chosen.get(nameOf(resource));
    if (known === undefined || (resource.preferred && !known.preferred)) chosen.set(nameOf(resource), resource);
  }
  return [...chosen.values()];
}

const isWatchable = (resource: DiscoveredResource): boolean =>
  !IGNORED.has(nameOf(resource)) && WATCHED_VERBS.every((verb) => resource.verbs.includes(verb));
const nameOf = (resource: DiscoveredResource): string => `${resource.group}/${resource.plural}`;
const versionedName = (resource: DiscoveredResource): string => `${apiVersionOf(resource)}/${resource.plural}`;
const sameResource = (a: DiscoveredResource, b: DiscoveredResource): boolean => versionedName(a) === versionedName(b);
