/**
 * Conversion by a webhook: objects of one version there, the same objects in another version back. It may change
 * everything but who the object is; of its metadata only labels and annotations are taken.
 */
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import { apiVersionOf, type GroupVersionKind } from '../../api/index.ts';
import { append, isRecord } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import { failure, type StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { WebhookClientConfig, WebhookClients } from '../webhook-client/index.ts';

const TIMEOUT_SECONDS = 30;
/** Larger lists are converted in several requests, lest one of them be too large for the webhook. */
const MAX_OBJECTS = 500;

export interface ConversionWebhookOptions {
  readonly config: WebhookClientConfig;
  readonly reviewVersions: readonly string[];
}

export class ConversionWebhook {
  readonly #ctx: Context;
  readonly #clients: WebhookClients;
  readonly #options: ConversionWebhookOptions;

  constructor(ctx: Context, clients: WebhookClients, options: ConversionWebhookOptions) {
    this.#ctx = ctx;
    this.#clients = clients;
    this.#options = options;
  }

  /** The objects, which may be of several versions, all in one; in the same order. */
  async convert(objects: readonly KubeObject[], to: GroupVersionKind): Promise<KubeObject[]> {
    const converted: KubeObject[] = [];
    for (let i = 0; i < objects.length; i += MAX_OBJECTS)
      append(converted, await this.#review(objects.slice(i, i + MAX_OBJECTS), to));
    return converted;
  }

  async #review(objects: readonly KubeObject[], to: GroupVersionKind): Promise<KubeObject[]> {
    const desiredAPIVersion = apiVersionOf(to);
    const refuse = (why: string): StatusError =>
      failure(500, '', `conversion webhook for ${objects[0]!.apiVersion}, Kind=${to.kind} ${why}`);
    const version = this.#options.reviewVersions.find((one) => one === 'v1' || one === 'v1beta1') ?? 'v1';
    const uid = this.#ctx.random.uid();
    const review = {
      kind: 'ConversionReview',
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid, desiredAPIVersion, objects },
    };
    let answer: unknown;
    try {
      answer = await this.#clients.post({
        config: this.#options.config,
        body: Buffer.from(JSON.stringify(review)),
        timeoutSeconds: TIMEOUT_SECONDS,
      });
    } catch (error) {
      throw refuse(`failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    const response = isRecord(answer) && isRecord(answer['response']) ? answer['response'] : undefined;
    if (!response) throw refuse('failed: expected response to be set');
    if (response['uid'] !== uid)
      throw refuse(`failed: expected response.uid="${uid}", got "${String(response['uid'])}"`);
    checkResult(response['result'], refuse);
    const found = response['convertedObjects'];
    if (!Array.isArray(found) || found.length !== objects.length) {
      throw refuse(`returned ${Array.isArray(found) ? found.length : 0} objects, expected ${objects.length}`);
    }
    return found.map((object: unknown, i) => restored(object, objects[i]!, { desiredAPIVersion, refuse, index: i }));
  }
}

function checkResult(result: unknown, refuse: (why: string) => StatusError): void {
  const { status, message } = isRecord(result) ? result : {};
  if (status === 'Success') return;
  throw refuse(
    `failed: ${typeof message === 'string' && message !== '' ? message : `response.result.status was '${String(status ?? '')}', not 'Success'`}`,
  );
}

interface Restoration {
  readonly desiredAPIVersion: string;
  readonly refuse: (why: string) => StatusError;
  readonly index: number;
}

const IDENTITY = ['name', 'namespace', 'uid'] as const;

/** The converted object with the metadata of the original. */
function restored(
  object: unknown,
  original: KubeObject,
  { desiredAPIVersion, refuse, index }: Restoration,
): KubeObject {
  if (!isRecord(object)) throw refuse(`returned invalid converted object at index ${index}: it is no object`);
  if (object['apiVersion'] !== desiredAPIVersion)
    throw refuse(
      `returned invalid converted object at index ${index}: invalid groupVersion (expected ${desiredAPIVersion}, received ${String(object['apiVersion'])})`,
    );
  if (object['kind'] !== original.kind)
    throw refuse(
      `returned invalid converted object at index ${index}: invalid kind (expected ${original.kind}, received ${String(object['kind'])})`,
    );
  const given: ObjectMeta = isRecord(object['metadata']) ? object['metadata'] : {};
  for (const name of IDENTITY) {
    if (given[name] !== original.metadata[name])
      throw refuse(
        `returned invalid metadata in object at index ${index}: must have the same ${name}: ${String(original.metadata[name])} != ${String(given[name])}`,
      );
  }
  const { labels: _labels, annotations: _annotations, ...kept } = original.metadata;
  const { kind: _kind, apiVersion: _apiVersion, metadata: _metadata, ...content } = object;
  const metadata: ObjectMeta = {
    ...kept,
    ...(given.labels ? { labels: given.labels } : {}),
    ...(given.annotations ? { annotations: given.annotations } : {}),
  };
  return { kind: original.kind, apiVersion: desiredAPIVersion, metadata, ...content };
}
