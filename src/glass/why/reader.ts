/** Reads what explanations need, as the user who asks. What the user may not read is unknown, not absent. */
import type { Event } from '../../api/generated/core-v1.ts';
import { parseTime, quote } from '../../base/index.ts';
import {
  builtIn,
  isForbidden,
  isNotFound,
  type ApiObject,
  type BuiltInResource,
  type Client,
  type ListOptions,
  type ObjectOf,
} from '../../client/index.ts';
import type { Explanation } from '../answers.ts';

/** What a scheduler of ours says about its last attempt to place a pod. */
export interface SchedulingDecision {
  readonly outcome: string;
  readonly node: string;
  readonly message: string;
  readonly feasibleNodes: number;
  readonly totalNodes: number;
  readonly nodes: readonly NodeVerdict[];
  readonly whatWouldHelp: readonly string[];
}

interface NodeVerdict {
  readonly node: string;
  readonly fits: boolean;
  readonly filters: readonly {
    readonly plugin: string;
    readonly result: string;
    readonly reasons?: readonly string[];
  }[];
  /** Weighted scores by plugin, of the best nodes only. */
  readonly scores?: Readonly<Record<string, number>>;
  readonly total?: number;
}

export interface ReaderOptions {
  readonly client: Client;
  readonly now: () => number;
  /** Absent where the cluster's scheduler does not provide it. */
  readonly schedulingDecision?: (pod: { namespace: string; name: string }) => Promise<SchedulingDecision | undefined>;
  readonly signal?: AbortSignal;
  /** How many nodes of a decision are shown; default 10. */
  readonly maxNodes?: number;
}

/** `known` is false where the user may not read the object. */
interface Lookup<T> {
  readonly object?: T;
  readonly known: boolean;
}

const MAX_OBJECTS = 5_000;
const MAX_NODES = 10;

export class Reader {
  readonly #options: ReaderOptions;
  readonly #unknown = new Set<string>();
  /** Objects that are being explained: an object is not explained by itself. */
  readonly #explained = new Set<string>();

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  get client(): Client {
    return this.#options.client;
  }

  get now(): number {
    return this.#options.now();
  }

  get maxNodes(): number {
    return this.#options.maxNodes ?? MAX_NODES;
  }

  get unknown(): readonly string[] {
    return [...this.#unknown];
  }

  noteUnknown(text: string): void {
    this.#unknown.add(text);
  }

  async get<K extends BuiltInResource>(
    resource: K,
    reference: { namespace?: string; name: string },
  ): Promise<Lookup<ObjectOf<K>>> {
    try {
      return { known: true, object: await this.client.resource(resource).get(reference, this.#signal()) };
    } catch (error) {
      if (isNotFound(error)) return { known: true };
      if (!isForbidden(error)) throw error;
      this.noteUnknown(
        `you may not get ${nameOf(resource)} ${quote(reference.name)}${inNamespace(reference.namespace)}`,
      );
      return { known: false };
    }
  }

  /** An empty list where the user may not list. */
  async list<K extends BuiltInResource>(
    resource: K,
    options: Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector'> = {},
  ): Promise<ObjectOf<K>[]> {
    try {
      const { items, metadata } = await this.client
        .resource(resource)
        .list({ ...options, limit: MAX_OBJECTS, ...this.#signal() });
      if (metadata.continue)
        this.noteUnknown(`there are more than ${MAX_OBJECTS} ${nameOf(resource)}; the rest was not read`);
      return items as ObjectOf<K>[];
    } catch (error) {
      if (isNotFound(error)) return [];
      if (!isForbidden(error)) throw error;
      this.noteUnknown(`you may not list ${nameOf(resource)}${inNamespace(options.namespace)}`);
      return [];
    }
  }

  /** The object's events, the newest first. */
  async events({ metadata: { namespace, uid } }: ApiObject): Promise<Event[]> {
    const events = await this.list('v1/events', {
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { fieldSelector: `involvedObject.uid=${uid}` }),
    });
    return events.sort((a, b) => timeOf(b) - timeOf(a));
  }

  /** The message of the newest warning, of these reasons if some are given. */
  async warning(object: ApiObject, ...reasons: readonly string[]): Promise<string | undefined> {
    const events = await this.events(object);
    const found = events.find(
      ({ type, reason = '' }) => type === 'Warning' && (reasons.length === 0 || reasons.includes(reason)),
    );
    return found && `${found.reason}: ${found.message}`;
  }

  async schedulingDecision(pod: { namespace: string; name: string }): Promise<SchedulingDecision | undefined> {
    const { schedulingDecision } = this.#options;
    if (!schedulingDecision) {
      this.noteUnknown('which plugin rejected which node: the scheduler of this cluster does not provide it');
      return undefined;
    }
    return schedulingDecision(pod);
  }

  /** Explains another object, unless that is what is being explained already. */
  async because(key: string, explain: () => Promise<Explanation>): Promise<Explanation[]> {
    if (this.#explained.has(key)) return [];
    this.#explained.add(key);
    return [await explain()];
  }

  #signal(): { signal?: AbortSignal } {
    return this.#options.signal ? { signal: this.#options.signal } : {};
  }
}

const nameOf = (resource: BuiltInResource): string => builtIn(resource).plural;
const inNamespace = (namespace: string | undefined): string => (namespace ? ` in namespace ${quote(namespace)}` : '');

function timeOf({ lastTimestamp, eventTime, series, metadata }: Event): number {
  const time = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
  return time ? parseTime(time) : 0;
}
