import type { DeleteOptions, ListMeta, Status } from '../api/generated/meta-v1.ts';
import { apiVersionOf, resourcePath, type ApiObject, type ObjectReference, type Resource } from './resource.ts';
import type { Query, Transport, WatchEvent } from './transport.ts';
import { WatchEvents } from './watch-events.ts';

export interface ReadOptions {
  resourceVersion?: string;
  signal?: AbortSignal;
}

export interface ListOptions extends ReadOptions {
  /** Absent: all namespaces. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  limit?: number;
  continue?: string;
}

export interface WatchOptions extends ListOptions {
  allowWatchBookmarks?: boolean;
  sendInitialEvents?: boolean;
  timeoutSeconds?: number;
}

export interface WriteOptions {
  fieldManager?: string;
  fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  dryRun?: boolean;
  signal?: AbortSignal;
  /** The span that writes; default: what the client's worker is doing. */
  cause?: number;
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export interface ObjectList<T> {
  metadata: ListMeta;
  items: T[];
}

const PATCH_CONTENT_TYPES: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

const METADATA_ACCEPT = {
  object: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
  list: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
};

/** The part of a client that sends requests. */
type Requests = Omit<Transport, 'close'>;

/** The verbs on one resource. An object's namespace and name come from its metadata. */
export class ResourceClient<T extends ApiObject> {
  readonly resource: Resource<T>;
  readonly #client: Requests;
  readonly #metadataOnly: boolean;

  constructor(client: Requests, resource: Resource<T>, options: { metadataOnly?: boolean } = {}) {
    this.#client = client;
    this.resource = resource;
    this.#metadataOnly = options.metadataOnly ?? false;
  }

  get isInProcess(): boolean {
    return this.#client.isInProcess ?? false;
  }

  get(reference: ObjectReference, options: ReadOptions = {}): Promise<T> {
    return this.#send('GET', reference, {
      query: { resourceVersion: options.resourceVersion },
      signal: options.signal,
    });
  }

  async list(options: ListOptions = {}): Promise<ObjectList<T>> {
    const response = await this.#client.request({
      method: 'GET',
      path: resourcePath(this.resource, { namespace: options.namespace }),
      query: listQuery(options),
      headers: this.#metadataOnly ? { accept: METADATA_ACCEPT.list } : undefined,
      signal: options.signal,
    });
    const list = response.body as { metadata?: ListMeta; items?: T[] | null };
    return { metadata: list.metadata ?? {}, items: (list.items ?? []).map((item) => this.#named(item)) };
  }

  /** Ends with the server's timeout; throws a StatusError when the server sends an ERROR event, such as 410 Gone. */
  watch(options: WatchOptions = {}): AsyncIterable<WatchEvent<T>> {
    return {
      [Symbol.asyncIterator]: () =>
        new WatchEvents(
          () => this.#openWatch(options),
          (object) => this.#named(object as T),
        ),
    };
  }

  #openWatch(options: WatchOptions): Promise<AsyncIterable<WatchEvent<unknown>>> {
    return this.#client.watch({
      method: 'GET',
      path: resourcePath(this.resource, { namespace: options.namespace }),
      query: {
        ...listQuery(options),
        watch: true,
        allowWatchBookmarks: options.allowWatchBookmarks,
        sendInitialEvents: options.sendInitialEvents,
        timeoutSeconds: options.timeoutSeconds,
      },
      headers: this.#metadataOnly ? { accept: METADATA_ACCEPT.object } : undefined,
      signal: options.signal,
    });
  }

  create(object: T, options: WriteOptions = {}): Promise<T> {
    return this.#send(
      'POST',
      { namespace: object.metadata.namespace },
      { body: this.#complete(object), ...writing(options) },
    );
  }

  update(object: T, options: WriteOptions = {}): Promise<T> {
    return this.#send('PUT', referenceOf(object), { body: this.#complete(object), ...writing(options) });
  }

  updateStatus(object: T, options: WriteOptions = {}): Promise<T> {
    return this.#send('PUT', referenceOf(object), {
      body: this.#complete(object),
      subresource: 'status',
      ...writing(options),
    });
  }

  patch(
    reference: ObjectReference,
    patch: unknown,
    options: WriteOptions & { type: PatchType; subresource?: string; force?: boolean },
  ): Promise<T> {
    const { query, signal, cause } = writing(options);
    return this.#send('PATCH', reference, {
      body: patch,
      contentType: PATCH_CONTENT_TYPES[options.type],
      subresource: options.subresource,
      query: { ...query, force: options.force },
      signal,
      cause,
    });
  }

  /** Server-side apply: the field manager owns the fields of `object`. */
  apply(
    object: T,
    options: WriteOptions & { fieldManager: string; force?: boolean; subresource?: string },
  ): Promise<T> {
    return this.patch(referenceOf(object), this.#complete(object), { ...options, type: 'apply' });
  }

  /** Returns the object while finalizers or a grace period delay its deletion, a Status otherwise. */
  delete(
    reference: ObjectReference,
    options: DeleteOptions & { signal?: AbortSignal; cause?: number } = {},
  ): Promise<T | Status> {
    const { signal, cause, ...body } = options;
    return this.#send('DELETE', reference, { body: deleteBody(body), signal, cause });
  }

  deleteCollection(options: ListOptions & { deleteOptions?: DeleteOptions } = {}): Promise<unknown> {
    const { namespace, signal, deleteOptions = {} } = options;
    const query = listQuery(options);
    return this.#send('DELETE', { namespace }, { body: deleteBody(deleteOptions), query, answer: 'list', signal });
  }

  /** Requests on a subresource (`scale`, `eviction`, `binding`, `token`, `approval`…), whose kind may be another. */
  subresource<S = T>(reference: ObjectReference, subresource: string) {
    const send = (method: 'GET' | 'POST' | 'PUT', body: unknown, options: WriteOptions): Promise<S> =>
      this.#send(method, reference, { subresource, body, ...writing(options) });
    return {
      get: (options: WriteOptions = {}) => send('GET', undefined, options),
      create: (object: unknown, options: WriteOptions = {}) => send('POST', object, options),
      update: (object: unknown, options: WriteOptions = {}) => send('PUT', object, options),
    };
  }

  /** A subresource that is a stream of bytes: `log`. */
  streamSubresource(
    reference: ObjectReference,
    subresource: string,
    options: { query?: Query; signal?: AbortSignal } = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    return this.#client.stream({
      method: 'GET',
      path: resourcePath(this.resource, { ...reference, subresource }),
      ...options,
    });
  }

  async #send<R>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    reference: Partial<ObjectReference>,
    options: SendOptions,
  ): Promise<R> {
    const { namespace, name } = reference;
    const response = await this.#client.request({
      method,
      path: resourcePath(this.resource, { namespace, name, subresource: options.subresource }),
      query: options.query,
      headers: this.#headers(options.contentType, options.answer),
      body: options.body,
      signal: options.signal,
      cause: options.cause,
    });
    return response.body as R;
  }

  #headers(
    contentType: string | undefined,
    answer: keyof typeof METADATA_ACCEPT = 'object',
  ): Record<string, string> | undefined {
    if (!this.#metadataOnly && contentType === undefined) return undefined;
    const headers: Record<string, string> = {};
    if (this.#metadataOnly) headers['accept'] = METADATA_ACCEPT[answer];
    if (contentType !== undefined) headers['content-type'] = contentType;
    return headers;
  }

  /** Items of lists have no apiVersion and kind; owner references and events need them. */
  #named(object: T): T {
    if (object.kind !== undefined || this.resource.kind === '' || Object.isFrozen(object)) return object;
    object.apiVersion = apiVersionOf(this.resource);
    object.kind = this.resource.kind;
    return object;
  }

  #complete(object: T): T {
    if (object.apiVersion !== undefined && object.kind !== undefined) return object;
    return {
      ...object,
      apiVersion: object.apiVersion ?? apiVersionOf(this.resource),
      kind: object.kind ?? this.resource.kind,
    };
  }
}

interface SendOptions {
  /** The kind of response; requests for metadata accept the metadata of an object or of a list accordingly. */
  answer?: 'object' | 'list';
  subresource?: string;
  body?: unknown;
  contentType?: string;
  query?: Query;
  signal?: AbortSignal;
  cause?: number;
}

function referenceOf(object: ApiObject): ObjectReference {
  return { namespace: object.metadata.namespace, name: object.metadata.name ?? '' };
}

function deleteBody(options: DeleteOptions): DeleteOptions | undefined {
  return Object.keys(options).length === 0 ? undefined : { apiVersion: 'v1', kind: 'DeleteOptions', ...options };
}

function writing(options: WriteOptions): { query: Query; signal?: AbortSignal; cause?: number } {
  const { fieldManager, fieldValidation, dryRun, signal, cause } = options;
  return { query: { fieldManager, fieldValidation, dryRun: dryRun === true ? 'All' : undefined }, signal, cause };
}

function listQuery(options: ListOptions): Query {
  const { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch, limit } = options;
  return { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch, limit, continue: options.continue };
}
