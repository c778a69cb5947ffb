/** The cluster as it was at a revision: reads answer from then, everything else is refused. */
import type { Client, Transport, TransportRequest, TransportResponse } from '../../client/index.ts';
import { failure, isStatusError, notFound } from '../../machinery/errors/index.ts';
import { fieldEquals } from '../../machinery/selectors/index.ts';

/** `/api/v1/...` and `/apis/GROUP/VERSION/...`, up to the resource, then the name and what is below it. */
const RESOURCE = /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)((?:\/namespaces\/[^/]+)?\/[^/]+)(?:\/([^/]+))?(?:\/(.+))?$/;
/** `/api/v1/namespaces/NAME` is the Namespace, not a namespaced resource. */
const NAMESPACE = /^(\/api\/v1)(\/namespaces)(?:\/([^/]+))?$/;

export class PastTransport implements Transport {
  readonly #client: Client;
  readonly #revision: number;

  constructor(client: Client, revision: number) {
    this.#client = client;
    this.#revision = revision;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    try {
      return await this.#read(request);
    } catch (error) {
      if (!isStatusError(error)) throw error;
      return { status: error.code, headers: { 'content-type': 'application/json' }, body: error.status };
    }
  }

  watch(): Promise<never> {
    return Promise.reject(refusedAt(NOTHING_TO_WATCH));
  }

  stream(): Promise<never> {
    return Promise.reject(refusedAt('logs and streams are of the present: the past has objects only'));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #read(request: TransportRequest): Promise<TransportResponse> {
    const { method, path, query = {} } = request;
    if (method !== 'GET')
      throw refusedAt(`the cluster is shown as it was at revision ${this.#revision}: it cannot be changed`);
    const match = NAMESPACE.exec(path) ?? RESOURCE.exec(path);
    // Discovery, OpenAPI and the version are those of the present.
    if (!match) return this.#client.request(request);
    const [, prefix = '', collection = '', name, below] = match;
    if (below !== undefined) throw refusedAt(`${below} is of the present: the past has objects only`);
    if (query['watch'] !== undefined && String(query['watch']) !== 'false') throw refusedAt(NOTHING_TO_WATCH);
    // A list is whole: continue tokens of revisions that are kept for their history have expired.
    const { resourceVersion: _, resourceVersionMatch: __, limit: ___, ...rest } = query;
    const at = { resourceVersion: String(this.#revision), resourceVersionMatch: 'Exact' };
    const selecting =
      name === undefined ? {} : { fieldSelector: fieldEquals('metadata.name', decodeURIComponent(name)) };
    const list = await this.#client.request({
      ...request,
      path: `${prefix}${collection}`,
      query: { ...rest, ...selecting, ...at },
    });
    return name === undefined ? list : oneOf(list, collection, decodeURIComponent(name));
  }
}

/** The only item of a list as the response to a GET of it. */
function oneOf(list: TransportResponse, collection: string, name: string): TransportResponse {
  const body = list.body as {
    kind?: string;
    apiVersion?: string;
    items?: readonly object[];
    rows?: readonly object[];
  };
  if ((body.items ?? body.rows ?? []).length === 0) {
    const resource = collection.split('/').at(-1)!;
    const group = body.kind === 'Table' ? '' : (body.apiVersion ?? '').split('/').slice(0, -1).join('');
    throw notFound({ group, resource }, name);
  }
  if (!body.items) return list;
  const item = { kind: (body.kind ?? '').replace(/List$/, ''), apiVersion: body.apiVersion, ...body.items[0] };
  return { ...list, body: item };
}

const NOTHING_TO_WATCH = 'the past does not change: there is nothing to watch';

const refusedAt = (message: string) => failure(405, 'MethodNotAllowed', message, {});
