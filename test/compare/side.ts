/** One side of a conversation: a server, and what its names and saved values are there. */
import type { Answer, Server, Step } from './conversation.ts';
import { comparable, clean, readBody, type Comparable, type Own } from './normalise.ts';
import type { WebhookServer } from './webhook-server.ts';

export interface Endpoint {
  readonly server: Server;
  readonly webhooks: WebhookServer;
  readonly flowNames: ReadonlyMap<string, string>;
}

/** Both servers know the caller by this name, whoever their kubeconfigs are for; an empty header leaves it out. */
const CALLER = { 'impersonate-user': 'compare', 'impersonate-group': 'system:masters' };
const AGAIN_MS = 50;
/** What a server does a moment later (establish a CRD, see a policy) is done by then. */
const UNTIL_MS = 10_000;
const SETTLED_MS = 15_000;

export class Side {
  readonly #endpoint: Endpoint;
  #variables: Map<string, string>;

  constructor(endpoint: Endpoint, variables: Readonly<Record<string, string>>) {
    this.#endpoint = endpoint;
    this.#variables = new Map(Object.entries({ ...variables, WEBHOOK: endpoint.webhooks.url }));
  }

  async send(step: Step): Promise<Answer> {
    return step.settleMs === undefined ? this.#sendUntil(step) : this.#sendUntilSettled(step, step.settleMs);
  }

  async #sendUntilSettled(step: Step, settleMs: number): Promise<Answer> {
    const deadline = Date.now() + SETTLED_MS;
    let last: string | undefined;
    for (let since = Date.now(); ;) {
      const answer = await this.#sendOnce(step);
      const text = JSON.stringify(this.comparable(step, answer).body);
      if (text !== last) since = Date.now();
      last = text;
      if (Date.now() - since >= settleMs || Date.now() > deadline) {
        this.#save(step, answer);
        return answer;
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS * 3));
    }
  }

  async #sendUntil(step: Step): Promise<Answer> {
    const deadline = Date.now() + UNTIL_MS;
    if (step.reviews) this.#endpoint.webhooks.take(this.#variables.get('RUN') ?? '');
    for (;;) {
      const answer = await this.#sendOnce(step);
      if (isAwaited(step, answer) || Date.now() > deadline) {
        this.#save(step, answer);
        return answer;
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  comparable(step: Step, answer: Answer): Comparable {
    const generateName = /"generateName":"([^"]+)"/.exec(step.raw ?? JSON.stringify(step.body ?? null))?.[1];
    const own = { ...this.#own(), ...(generateName === undefined ? {} : { generateName }) };
    const seen = comparable(answer, own);
    const read = step.watch && isEvent(seen.body) ? [seen.body] : seen.body;
    // A connection that broke off has no body of its form.
    const body = step.only && answer.status !== 0 ? step.only(read) : read;
    if (!step.reviews) return { ...seen, body };
    return { ...seen, body: { answer: body, reviews: this.#reviews(own) } };
  }

  /** Webhooks are called at the same time, and objects of a collection deleted so: their order is chance. */
  #reviews(own: Own): unknown[] {
    const reviews = this.#endpoint.webhooks
      .take(this.#variables.get('RUN') ?? '')
      .map((review) => clean(review, '', own));
    const place = (review: unknown): string => {
      const { path, request } = review as { path: string; request?: { oldObject?: { metadata?: { name?: string } } } };
      return `${path} ${request?.oldObject?.metadata?.name ?? ''}`;
    };
    return reviews.sort((a, b) => place(a).localeCompare(place(b)));
  }

  #sendOnce(step: Step): Promise<Answer> {
    const text = step.raw ?? (step.body === undefined ? undefined : JSON.stringify(step.body));
    const headers: Record<string, string> = { accept: 'application/json', 'user-agent': 'compare', ...CALLER };
    if (text !== undefined) headers['content-type'] = 'application/json';
    for (const [name, value] of Object.entries(step.headers ?? {})) headers[name.toLowerCase()] = this.#fill(value);
    for (const name of Object.keys(headers)) if (headers[name] === '') delete headers[name];
    const { method } = step;
    return this.#endpoint.server.send({
      method,
      path: this.#fill(step.path),
      headers,
      ...(text === undefined ? {} : { body: Buffer.from(this.#fill(text)) }),
    });
  }

  #fill(text: string): string {
    return text.replace(/\$([A-Z][A-Z0-9_]*)/g, (whole, name: string) => this.#variables.get(name) ?? whole);
  }

  #save(step: Step, answer: Answer): void {
    if (!step.save) return;
    const body = readBody(answer.body, 'json');
    for (const [name, at] of Object.entries(step.save)) {
      const value = at
        .split('.')
        .reduce((inner: unknown, key) => (inner as Record<string, unknown> | undefined)?.[key], body);
      if (typeof value === 'string' || typeof value === 'number') this.#variables.set(name, String(value));
    }
  }

  /** Numbers are no names: they would be found everywhere. */
  #own(): Own {
    const names = [...this.#variables]
      .filter(([, value]) => !/^\d+$/.test(value))
      .sort(([, a], [, b]) => b.length - a.length);
    return { variables: new Map(names), flowNames: this.#endpoint.flowNames };
  }
}

function isAwaited({ until }: Step, answer: Answer): boolean {
  return typeof until === 'function' ? until(answer) : until === undefined || answer.status === until;
}

/** One event is a stream too. */
function isEvent(body: unknown): boolean {
  return body !== null && typeof body === 'object' && 'type' in body && 'object' in body;
}

/** What the uids in the headers of flow control mean. */
export async function flowNames(server: Server): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const plural of ['flowschemas', 'prioritylevelconfigurations']) {
    const answer = await server.send({
      method: 'GET',
      path: `/apis/flowcontrol.apiserver.k8s.io/v1/${plural}`,
      headers: { accept: 'application/json' },
    });
    const { items = [] } = JSON.parse(answer.body.toString()) as {
      items?: { metadata: { uid: string; name: string } }[];
    };
    for (const { metadata } of items) names.set(metadata.uid, metadata.name);
  }
  return names;
}
