/**
 * What the server has, kind by kind, custom kinds included: a metadata informer for each resource that can be listed,
 * watched and deleted, started when the resource appears and stopped when it goes; where a controller follows the whole
 * objects anyway, its informer. Shared by the controllers that care for objects of any kind; nothing runs until one of them
 * calls `use`.
 */
import {
  apiVersionOf,
  discover,
  scoped,
  SharedInformer,
  type ApiObject,
  type Client,
  type DiscoveredResource,
  type InformerFactory,
} from '../client/index.ts';
import { RunGroup, type Context } from '../kernel/index.ts';

/** Aggregated API servers come and go without any object of ours changing. */
const REFRESH_MS = 30_000;
/** A new definition is served a moment after it says so. */
const REFRESH_AFTER_CHANGE_MS = 50;
/** A resource whose objects cannot be read, as when its conversion webhook is away, must not hold up the others for ever. */
const SYNC_PATIENCE_MS = 30_000;

/** Short-lived and many; nothing owns them or counts them. */
const IGNORED = new Set(['/events', 'events.k8s.io/events']);

const WATCHED_VERBS = ['list', 'watch', 'delete'];

export interface ResourceHandler {
  onAdd?(resource: DiscoveredResource, object: ApiObject): void;
  onUpdate?(resource: DiscoveredResource, before: ApiObject, after: ApiObject): void;
  onDelete?(resource: DiscoveredResource, object: ApiObject): void;
  /** There are resources that were not there before. */
  onNewResources?(): void;
}

interface Monitor {
  readonly resource: DiscoveredResource;
  readonly informer: SharedInformer<ApiObject>;
  readonly abort: AbortController;
}

export class DiscoveredResources {
  readonly #ctx: Context;
  readonly #client: Client;
  readonly #informers: InformerFactory;
  readonly #handlers: ResourceHandler[] = [];
  readonly #monitors = new Map<string, Monitor>();
  /** Resources that have not been read yet. */
  readonly #reading = new Set<Promise<void>>();
  #used = false;
  #group: RunGroup | undefined;
  #resources: readonly DiscoveredResource[] = [];
  #refreshing: Promise<void> | undefined;
  #refreshAgain = false;
  #firstDiscovery: Promise<void> | undefined;

  constructor(ctx: Context, options: { client: Client; informers: InformerFactory }) {
    this.#ctx = ctx;
    this.#client = options.client;
    this.#informers = options.informers;
  }

  /** To be called while controllers are built. */
  use(handler: ResourceHandler): void {
    this.#handlers.push(handler);
    if (this.#used) return;
    this.#used = true;
    /** Changes come in swarms, as at the start when every group is announced: one look is enough for all of them. */
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
    this.#informers.informer('apiregistration.k8s.io/v1/apiservices').addHandler(onChange);
  }

  /** Every resource, in every version. */
  get resources(): readonly DiscoveredResource[] {
    return this.#resources;
  }

  /** The resource of a kind in the version that a reference names. */
  findKind(apiVersion: string, kind: string): DiscoveredResource | undefined {
    return this.#resources.find((resource) => resource.kind === kind && apiVersionOf(resource) === apiVersion);
  }

  /** The informer of a resource by group and plural, where there is one. */
  informer(group: string, plural: string): SharedInformer<ApiObject> | undefined {
    return this.#monitors.get(`${group}/${plural}`)?.informer;
  }

  async run(): Promise<void> {
    if (!this.#used) return;
    const { signal, logger, clock } = this.#ctx;
    const group = (this.#group = new RunGroup({ signal, logger }));
    const timer = clock.every(REFRESH_MS, () => void this.refresh());
    group.start(
      'until stopped',
      (stop) => new Promise((resolve) => stop.addEventListener('abort', () => resolve(), { once: true })),
    );
    this.#firstDiscovery = this.refresh();
    try {
      await group.wait();
    } finally {
      timer.cancel();
    }
  }

  /** Resolves when every resource known now has been read once, or has been given up waiting for. */
  async settled(): Promise<void> {
    await this.#firstDiscovery;
    if (this.#reading.size > 0) await Promise.all(this.#reading);
  }

  /** Asks the server what it has; asked again while under way, it is done once more after that. */
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
      const { resources, unavailable } = await discover(this.#client, signal);
      const lost = new Set(unavailable);
      /** What is in a version that could not be asked is unknown, not gone. */
      const kept = this.#resources.filter(
        (resource) => lost.has(apiVersionOf(resource)) && !resources.some((r) => sameResource(r, resource)),
      );
      const known = new Set(this.#resources.map(versionedName));
      this.#resources = [...resources, ...kept];
      this.#follow(preferredResources(this.#resources).filter(isWatchable));
      if (this.#resources.some((resource) => !known.has(versionedName(resource))))
        this.#tell((handler) => handler.onNewResources?.());
    } catch (error) {
      if (!signal.aborted) logger.error(error, 'Failed to discover the resources of the server');
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
    /** Ends the deadline with the wait: its timer would keep all of a cluster that was stopped. */
    const read = new AbortController();
    const settled = informer
      .waitForSync(clock.deadline(SYNC_PATIENCE_MS, AbortSignal.any([abort.signal, read.signal])))
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

  #tell(call: (handler: ResourceHandler) => void): void {
    for (const handler of this.#handlers) call(handler);
  }
}

/** One version of each resource: the group's first choice where it has the resource. */
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
