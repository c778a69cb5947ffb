/**
 * Everything that the store of a world has committed, in order: the truth that checks compare with. It reads the store
 * itself, not through an API server.
 */
import { prefixRange, type Store, type WatchEvent } from '../../etcd/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { KubeObject } from '../../machinery/index.ts';

/** One committed change of one object. */
export interface Change {
  readonly revision: number;
  /** When it was committed, on the world's monotonic clock. */
  readonly at: number;
  readonly kind: string;
  /** Where the store has it. */
  readonly key: string;
  /** `namespace/name`, or the name of an object without a namespace. */
  readonly id: string;
  readonly before: KubeObject | undefined;
  /** Undefined when the object was deleted. */
  readonly after: KubeObject | undefined;
}

const REGISTRY = '/registry/';
/** What API servers keep for themselves. */
const NO_OBJECTS = ['/registry/ranges/', '/registry/masterleases/'];

export class StoreLog {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #onChange: (change: Change) => void;
  readonly #current = new Map<string, Map<string, KubeObject>>();
  readonly #byObject = new Map<string, Change[]>();
  readonly #byKind = new Map<string, Change[]>();
  readonly #byKey = new Map<string, KubeObject>();
  readonly #uids = new Set<string>();
  #revision = 0;
  #beganAt = 0;
  #changes = 0;

  constructor(store: Store, clock: Clock, onChange: (change: Change) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** The newest revision that the log has. */
  get revision(): number {
    return this.#revision;
  }

  get changes(): number {
    return this.#changes;
  }

  /** Reads what is there, then follows until the store is closed. */
  async follow(): Promise<() => Promise<void>> {
    const { kvs, revision } = await this.#store.range(prefixRange(REGISTRY));
    const inOrder = [...kvs].sort((a, b) => a.modRevision - b.modRevision);
    for (const kv of inOrder) this.#apply({ type: 'put', kv }, false);
    this.#revision = this.#beganAt = revision;
    // Of every key, because each of them makes a new revision.
    const watch = this.#store.watch({ ...prefixRange(''), startRevision: revision + 1 });
    return async () => {
      for await (const batch of watch) {
        for (const event of batch.events) this.#apply(event, true);
        this.#revision = batch.revision;
      }
    };
  }

  /** The objects of a kind that the world began with. */
  beginning(kind: string): readonly KubeObject[] {
    return this.historyOfKind(kind).flatMap(({ revision, after }) =>
      revision <= this.#beganAt && after ? [after] : [],
    );
  }

  /** The objects of a kind at a revision, by their id. */
  objectsAt(kind: string, revision: number): Map<string, KubeObject> {
    const objects = new Map<string, KubeObject>();
    for (const change of this.historyOfKind(kind)) {
      if (change.revision > revision) break;
      if (change.after) objects.set(change.id, change.after);
      else objects.delete(change.id);
    }
    return objects;
  }

  /** The objects of a kind, as they are now. */
  objects<T extends KubeObject = KubeObject>(kind: string): readonly T[] {
    return [...(this.#current.get(kind)?.values() ?? [])] as T[];
  }

  object<T extends KubeObject = KubeObject>(kind: string, id: string): T | undefined {
    return this.#current.get(kind)?.get(id) as T | undefined;
  }

  /** Whether an object has had the uid already. */
  useUid(uid: string): boolean {
    const known = this.#uids.has(uid);
    this.#uids.add(uid);
    return known;
  }

  /** Every kind that has objects. */
  kinds(): readonly string[] {
    return [...this.#current.keys()];
  }

  /** The kind of what is at a path of the API, among those that have objects. */
  kindOf(path: string): string | undefined {
    const plural = path.slice(path.lastIndexOf('/') + 1);
    for (const kind of this.#byKind.keys()) if (pluralOf(kind) === plural) return kind;
    return undefined;
  }

  /** What happened to an object, the oldest first. */
  history(kind: string, id: string): readonly Change[] {
    return this.#byObject.get(`${kind} ${id}`) ?? [];
  }

  /** What happened to the objects of a kind, the oldest first. */
  historyOfKind(kind: string): readonly Change[] {
    return this.#byKind.get(kind) ?? [];
  }

  #apply(event: WatchEvent, tell: boolean): void {
    const { key, value, modRevision } = event.kv;
    if (!key.startsWith(REGISTRY) || NO_OBJECTS.some((prefix) => key.startsWith(prefix))) return;
    const before = this.#byKey.get(key);
    const after = event.type === 'put' ? (tell ? objectOf : knownObjectOf)(value, modRevision) : undefined;
    const known = after ?? before;
    if (known === undefined) return;
    if (after) this.#byKey.set(key, after);
    else this.#byKey.delete(key);
    const { kind } = known;
    const id = idOf(known);
    const objects = this.#current.get(kind) ?? new Map<string, KubeObject>();
    this.#current.set(kind, objects);
    if (after) objects.set(id, after);
    else objects.delete(id);
    const change: Change = { revision: modRevision, at: this.#clock.monotonic(), kind, key, id, before, after };
    push(this.#byObject, `${kind} ${id}`, change);
    push(this.#byKind, kind, change);
    if (!tell) return void this.useUid(known.metadata.uid ?? '');
    this.#changes++;
    this.#onChange(change);
  }
}

export const idOf = ({ metadata }: KubeObject): string =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name}` : (metadata.name ?? '');

function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  if (name === 'endpoints') return name;
  if (name.endsWith('s')) return `${name}es`;
  return name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;
}

/** Worlds begin with the same values: what they hold is parsed once. Checks only read it. */
const parsed = new WeakMap<Uint8Array, KubeObject>();

function knownObjectOf(value: Uint8Array, revision: number): KubeObject | undefined {
  const known = parsed.get(value) ?? objectOf(value, revision);
  if (known) parsed.set(value, known);
  return known;
}

function objectOf(value: Uint8Array, revision: number): KubeObject | undefined {
  const object = JSON.parse(Buffer.from(value).toString()) as KubeObject;
  if (object.kind === undefined || object.metadata === undefined) return undefined;
  object.metadata.resourceVersion = String(revision);
  return object;
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
