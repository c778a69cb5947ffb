/**
 * The conversion webhook of a CustomResourceDefinition: sends objects in a ConversionReview, and gets them back in another
 * version. The webhook may not change the identity of an object, and of its metadata only labels and annotations.
 */
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import { apiVersionOf, type GroupVersionKind } from '../../api/index.ts';
import { append, encodeJson, errorMessage, isRecord } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import { failure, type StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { WebhookClientConfig, WebhookClients } from '../webhook-client/index.ts';

const TIMEOUT_SECONDS = 30;
/** Larger lists are converted in several requests, to limit the size of each. */
const MAX_OBJECTS = 500;

interface ConversionWebhookOptions {
  readonly config: WebhookClientConfig;
  readonly reviewVersions: readonly string[];
}

const CONVERSION_REVIEW = { group: 'apiextensions.k8s.io', versions: ['v1', 'v1beta1'], kind: 'ConversionReview' };

export class ConversionWebhook {
  readonly #ctx: Context;
  readonly #clients: WebhookClients;
  readonly #options: ConversionWebhookOptions;

  constructor(ctx: Context, clients: WebhookClients, options: ConversionWebhookOptions) {
    this.#ctx = ctx;
    this.#clients = clients;
    this.#options = options;
  }

  /** Converts the objects, which may have different versions, to one version. */
  async convert(objects: readonly KubeObject[], to: GroupVersionKind): Promise<KubeObject[]> {
    const converted: KubeObject[] = [];
    for (let i = 0; i < objects.length; i += MAX_OBJECTS)
      append(converted, await this.#review(objects.slice(i, i + MAX_OBJECTS), to));
    return converted;
  }

  async #review(objects: readonly KubeObject[], to: GroupVersionKind): Promise<KubeObject[]> {
    const desiredAPIVersion = apiVersionOf(to);
    const conversionError = (why: string): StatusError =>
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
        body: encodeJson(review),
        expects: CONVERSION_REVIEW,
        timeoutSeconds: TIMEOUT_SECONDS,
      });
    } catch (error) {
      throw conversionError(`failed: ${errorMessage(error)}`);
    }
    const response = isRecord(answer) && isRecord(answer['response']) ? answer['response'] : undefined;
    if (!response) throw conversionError('failed: expected response to be set');
    if (response['uid'] !== uid)
      throw conversionError(`failed: expected response.uid="${uid}", got "${String(response['uid'])}"`);
    checkResult(response['result'], conversionError);
    const found = response['convertedObjects'];
    if (!Array.isArray(found) || found.length !== objects.length) {
      throw conversionError(`returned ${Array.isArray(found) ? found.length : 0} objects, expected ${objects.length}`);
    }
    return found.map((object: unknown, i) =>
      restoreMetadata(object, objects[i]!, { desiredAPIVersion, conversionError, index: i }),
    );
  }
}

function checkResult(result: unknown, conversionError: (why: string) => StatusError): void {
  const { status, message } = isRecord(result) ? result : {};
  if (status === 'Success') return;
  throw conversionError(
    `failed: ${typeof message === 'string' && message !== '' ? message : `response.result.status was '${String(status ?? '')}', not 'Success'`}`,
  );
}

interface ConvertedContext {
  readonly desiredAPIVersion: string;
  readonly conversionError: (why: string) => StatusError;
  readonly index: number;
}

const IDENTITY = ['name', 'namespace', 'uid'] as const;

/** The converted object with the metadata of the original. */
function restoreMetadata(
  object: unknown,
  original: KubeObject,
  { desiredAPIVersion, conversionError, index }: ConvertedContext,
): KubeObject {
  if (!isRecord(object))
    throw conversionError(`returned invalid converted object at index ${index}: it is not an object`);
  if (object['apiVersion'] !== desiredAPIVersion)
    throw conversionError(
      `returned invalid converted object at index ${index}: invalid groupVersion (expected ${desiredAPIVersion}, received ${String(object['apiVersion'])})`,
    );
  if (object['kind'] !== original.kind)
    throw conversionError(
      `returned invalid converted object at index ${index}: invalid kind (expected ${original.kind}, received ${String(object['kind'])})`,
    );
  const given: ObjectMeta = isRecord(object['metadata']) ? object['metadata'] : {};
  for (const name of IDENTITY) {
    if (given[name] !== original.metadata[name])
      throw conversionError(
        `returned invalid metadata in object at index ${index}: must have the same ${name}: ${String(original.metadata[name])} != ${String(given[name])}`,
      );
  }
  const { labels: _labels, annotations: _annotations, ...unchanged } = original.metadata;
  const { kind: _kind, apiVersion: _apiVersion, metadata: _metadata, ...content } = object;
  const metadata: ObjectMeta = {
    ...unchanged,
    ...(given.labels ? { labels: given.labels } : {}),
    ...(given.annotations ? { annotations: given.annotations } : {}),
  };
  return { kind: original.kind, apiVersion: desiredAPIVersion, metadata, ...content };
}
