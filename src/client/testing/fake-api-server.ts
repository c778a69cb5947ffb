import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import { isRecord } from '../../base/index.ts';
import type { Clock, Random } from '../../kernel/index.ts';
import {
  alreadyExists,
  conflict,
  failure,
  notFound,
  resourceExpired,
  type StatusError,
} from '../../machinery/errors/status.ts';
import { EventStream } from '../event-stream.ts';
import {
  TransportError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type WatchEvent,
} from '../transport.ts';

/**
 * What may go wrong. `refuse`: no connection. `lose`: the request is carried out, its answer is lost. `drop`, `truncate`:
 * the connection breaks. `end`: the server ends a watch early. `stall`: nothing comes any more, and nobody says so.
 * `expire`: 410. `unavailable`: 503. `garble`: the event is not JSON.
 */
export type Fault = 'refuse' | 'lose' | 'drop' | 'truncate' | 'end' | 'stall' | 'expire' | 'unavailable' | 'garble';

interface FakeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

interface Change {
  revision: number;
  collection: string;
  event: WatchEvent<FakeObject>;
}

interface Watcher {
  collection: string;
  namespace: string | undefined;
  stream: EventStream<WatchEvent<unknown>>;
  stalled: boolean;
}

const BOOKMARK_MS = 60_000;

const EVENT_FAILURES: Partial<Record<Fault, TransportError['code']>> = { truncate: 'truncated', garble: 'malformed' };

/** An API server without validation, for tests of clients: storage, revisions, watches, and faults on demand. */
export class FakeApiServer implements Transport {
  /** Asked before every request, and before every event that a watch is about to send. */
  fault: (at: 'request' | 'list' | 'watch' | 'event', request: { method: string; path: string }) => Fault | undefined =
    () => undefined;
  /** `refused` before the watch begins, as servers that do not know them; or by an `error` event, as upstream's on an old etcd. */
  streamingLists: 'served' | 'refused' | 'error' = 'served';
  bookmarks = true;
  readonly requests: string[] = [];
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #collections = new Map<string, Map<string, FakeObject>>();
  readonly #history: Change[] = [];
  readonly #watchers = new Set<Watcher>();
  #revision = 1;
  #compacted = 0;

  constructor(options: { clock: Clock; random: Random }) {
    this.#clock = options.clock;
    this.#random = options.random;
  }

  get revision(): number {
    return this.#revision;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** All objects of a collection (`/api/v1/pods`), by key. */
  objects(collection: string): Map<string, FakeObject> {
    return new Map(this.#collections.get(collection));
  }

  /** Forgets all changes up to now: watches from an older revision get 410. */
  compact(): void {
    this.#compacted = this.#revision;
    this.#history.length = 0;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    this.requests.push(`${request.method} ${request.path}`);
    const target = parsePath(request.path);
    const isList = request.method === 'GET' && target.name === undefined;
    const fault = this.fault(isList ? 'list' : 'request', request);
    if (fault === 'stall') await aborted(request.signal);
    if (fault === 'refuse') throw new TransportError('connection-refused', 'connect refused');
    if (fault === 'unavailable') return answer(failure(503, 'ServiceUnavailable', 'not now'));
    if (fault === 'expire' && isList) return answer(resourceExpired('the continue token has expired'));
    /** Answers come in a later turn, as they do over a network. */
    await Promise.resolve();
    const response = this.#carryOut(request, target);
    if (fault !== undefined)
      throw new TransportError(fault === 'truncate' ? 'truncated' : 'connection-lost', `fault: ${fault}`);
    return response;
  }

  async watch(request: TransportRequest): Promise<AsyncIterable<WatchEvent<unknown>>> {
    request.signal?.throwIfAborted();
    this.requests.push(`WATCH ${request.path}`);
    const fault = this.fault('watch', request);
    if (fault === 'stall') await aborted(request.signal);
    if (fault === 'unavailable') throw failure(503, 'ServiceUnavailable', 'not now');
    if (fault === 'expire') throw resourceExpired('too old resource version');
    if (fault === 'refuse') throw new TransportError('connection-refused', 'connect refused');
    const { collection, namespace } = parsePath(request.path);
    const query = request.query ?? {};
    if (query['sendInitialEvents'] === true && this.streamingLists === 'refused')
      throw failure(422, 'Invalid', 'sendInitialEvents is forbidden for watch');
    const from = Number(query['resourceVersion'] ?? 0);

    const onAbort = (): void => watcher.stream.fail(request.signal?.reason);
    const close = (): void => {
      this.#watchers.delete(watcher);
      bookmarks.cancel();
      timeout.cancel();
      request.signal?.removeEventListener('abort', onAbort);
    };
    const watcher: Watcher = { collection, namespace, stream: new EventStream(close), stalled: false };
    const bookmarks = this.#clock.every(BOOKMARK_MS, () => this.#bookmark(watcher));
    const timeout = this.#clock.after(Number(query['timeoutSeconds'] ?? 1800) * 1000, () => {
      if (!watcher.stalled) watcher.stream.end();
    });
    request.signal?.addEventListener('abort', onAbort, { once: true });
    this.#watchers.add(watcher);

    if (query['sendInitialEvents'] === true && this.streamingLists === 'error') {
      const error = failure(500, 'InternalError', 'the required storage feature RequestWatchProgress is disabled');
      watcher.stream.push({ type: 'ERROR', object: error.status });
      watcher.stream.end();
    } else if (query['sendInitialEvents'] === true) {
      for (const object of this.#select(collection, namespace)) this.#send(watcher, { type: 'ADDED', object });
      this.#bookmark(watcher, { 'k8s.io/initial-events-end': 'true' });
    } else if (from < this.#compacted) {
      watcher.stream.push({
        type: 'ERROR',
        object: resourceExpired(`too old resource version: ${from} (${this.#compacted})`).status,
      });
      watcher.stream.end();
    } else {
      for (const change of this.#history)
        if (change.revision > from && change.collection === collection) this.#send(watcher, change.event);
    }
    if (fault === 'drop') watcher.stream.fail(new TransportError('connection-lost', 'fault: drop'));
    if (fault === 'end') watcher.stream.end();
    return watcher.stream;
  }

  stream(): Promise<AsyncIterable<Uint8Array>> {
    return Promise.reject(new Error('the fake API server has nothing to stream'));
  }

  close(): Promise<void> {
    for (const watcher of this.#watchers) watcher.stream.fail(new TransportError('closed', 'the server was closed'));
    return Promise.resolve();
  }

  #carryOut(request: TransportRequest, target: Target): TransportResponse {
    const { collection, namespace, name } = target;
    const resource = { group: '', resource: collection.split('/').at(-1) ?? '' };
    if (name === undefined && request.method === 'GET') {
      return { status: 200, headers: {}, body: this.#listBody(request, target) };
    }
    const body = request.body as FakeObject;
    const objectName = name ?? body.metadata.name ?? `${body.metadata.generateName ?? ''}${this.#random.nameSuffix()}`;
    const key = namespace === undefined ? objectName : `${namespace}/${objectName}`;
    const before = this.#collections.get(collection)?.get(key);
    if (request.method === 'POST') {
      if (before !== undefined) return answer(alreadyExists(resource, objectName));
      const metadata = { ...body.metadata, name: objectName, namespace, uid: this.#random.uid() };
      return { status: 201, headers: {}, body: this.#commit(collection, key, 'ADDED', { ...body, metadata }) };
    }
    if (before === undefined) return answer(notFound(resource, objectName));
    if (request.method === 'GET') return { status: 200, headers: {}, body: before };
    if (request.method === 'DELETE') {
      this.#commit(collection, key, 'DELETED', before);
      return { status: 200, headers: {}, body: { kind: 'Status', apiVersion: 'v1', status: 'Success', metadata: {} } };
    }
    const after =
      request.method === 'PATCH'
        ? (mergePatch(before, body) as FakeObject)
        : target.subresource === 'status'
          ? { ...before, status: body['status'] }
          : body;
    const expected = body.metadata?.resourceVersion;
    if (expected !== undefined && expected !== '' && expected !== before.metadata.resourceVersion) {
      return answer(
        conflict(
          resource,
          objectName,
          'the object has been modified; please apply your changes to the latest version and try again',
        ),
      );
    }
    const metadata = { ...after.metadata, name: objectName, namespace, uid: before.metadata.uid };
    return { status: 200, headers: {}, body: this.#commit(collection, key, 'MODIFIED', { ...after, metadata }) };
  }

  #listBody(request: TransportRequest, { collection, namespace }: Target): unknown {
    const items = this.#select(collection, namespace).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    const { limit, continue: token } = request.query ?? {};
    const start = token === undefined ? 0 : Number(token);
    const end = limit === undefined ? items.length : start + Number(limit);
    const metadata = {
      resourceVersion: String(this.#revision),
      ...(end < items.length ? { continue: String(end) } : {}),
    };
    return {
      kind: 'List',
      apiVersion: 'v1',
      metadata,
      items: items.slice(start, end).map((item) => structuredClone(item)),
    };
  }

  #commit(collection: string, key: string, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: FakeObject): FakeObject {
    const revision = ++this.#revision;
    const stored = structuredClone({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } });
    const objects = this.#collections.get(collection) ?? new Map<string, FakeObject>();
    this.#collections.set(collection, objects);
    if (type === 'DELETED') objects.delete(key);
    else objects.set(key, stored);
    const change: Change = { revision, collection, event: { type, object: stored } };
    this.#history.push(change);
    for (const watcher of this.#watchers) if (watcher.collection === collection) this.#send(watcher, change.event);
    return stored;
  }

  #send(watcher: Watcher, event: WatchEvent<FakeObject>): void {
    if (watcher.stalled || (watcher.namespace !== undefined && event.object.metadata.namespace !== watcher.namespace))
      return;
    const fault = this.fault('event', { method: 'WATCH', path: watcher.collection });
    if (fault === 'stall') watcher.stalled = true;
    else if (fault === 'end') watcher.stream.end();
    else if (fault === 'expire') {
      watcher.stream.push({ type: 'ERROR', object: resourceExpired('the event history has been cleared').status });
      watcher.stream.end();
    } else if (fault !== undefined)
      watcher.stream.fail(new TransportError(EVENT_FAILURES[fault] ?? 'connection-lost', `fault: ${fault}`));
    else watcher.stream.push({ type: event.type, object: structuredClone(event.object) });
  }

  #bookmark(watcher: Watcher, annotations?: Record<string, string>): void {
    if (watcher.stalled || (!this.bookmarks && annotations === undefined)) return;
    watcher.stream.push({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: String(this.#revision), annotations } },
    });
  }

  #select(collection: string, namespace: string | undefined): FakeObject[] {
    const all = [...(this.#collections.get(collection)?.values() ?? [])];
    return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
  }
}

interface Target {
  /** The path of the resource across all namespaces. */
  collection: string;
  namespace?: string;
  name?: string;
  subresource?: string;
}

function parsePath(path: string): Target {
  const parts = path.split('/').slice(1).map(decodeURIComponent);
  const prefix = parts.splice(0, parts[0] === 'api' ? 2 : 3);
  const namespace = parts[0] === 'namespaces' && parts.length > 2 ? parts.splice(0, 2)[1] : undefined;
  const [plural, name, subresource] = parts;
  return { collection: `/${[...prefix, plural].join('/')}`, namespace, name, subresource };
}

function answer(error: StatusError): TransportResponse {
  return { status: error.code, headers: {}, body: error.status };
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

function keyOf(object: FakeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}
