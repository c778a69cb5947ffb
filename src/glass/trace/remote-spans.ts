/** Reads the spans that an API server of ours has recorded. */
import { isNotFound, type Client } from '../../client/index.ts';
import type { RecordedSpan } from '../../kernel/index.ts';
import { glassPath } from '../api/glass-group.ts';

interface SpanList {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly { readonly span: RecordedSpan }[];
}

const PATH = glassPath('spans');

export class RemoteSpans {
  readonly #client: Client;
  readonly #signal: AbortSignal;

  constructor(client: Client, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** The number of the next span. */
  async next(): Promise<number> {
    return Number((await this.#page(Number.MAX_SAFE_INTEGER)).metadata.resourceVersion);
  }

  async since(id: number): Promise<RecordedSpan[]> {
    const spans: RecordedSpan[] = [];
    for (let from: number | undefined = id; from !== undefined;) {
      const { items, metadata }: SpanList = await this.#page(from);
      for (const { span } of items) spans.push(span);
      from = metadata.continue === undefined ? undefined : Number(metadata.continue);
    }
    return spans;
  }

  async #page(since: number): Promise<SpanList> {
    try {
      // At most fifteen digits are read.
      const query = { since: String(Math.min(since, 999_999_999_999_999)) };
      return (await this.#client.request({ method: 'GET', path: PATH, query, signal: this.#signal })).body as SpanList;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw new Error('this API server records no spans: it is not k8ts, or an older one', { cause: error });
    }
  }
}

/** The newest trace in which somebody wrote the object: not a controller because of something else. */
export function lastTraceOf(
  spans: readonly RecordedSpan[],
  object: { readonly resource: string; readonly group: string; readonly namespace: string; readonly name: string },
): number | undefined {
  const byId = new Map(spans.map((span) => [span.id, span]));
  for (const { attributes, name, parent } of spans.toReversed()) {
    const isOfObject =
      name === 'commit' &&
      attributes['k8s.resource'] === object.resource &&
      attributes['k8s.group'] === object.group &&
      attributes['k8s.namespace.name'] === object.namespace &&
      attributes['k8s.object.name'] === object.name;
    const request = isOfObject ? byId.get(parent) : undefined;
    if (!request) continue;
    const above = byId.get(request.parent);
    if (!above) return request.id;
    if (above.causes.length === 0 && above.attributes['k8s.controller'] === undefined) return above.id;
  }
  return undefined;
}
