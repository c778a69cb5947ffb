/**
 * Calls admission and conversion webhooks: posts a JSON document and returns the response. Connections are kept alive per
 * webhook, and every call has a timeout.
 */
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { quote } from '../../base/index.ts';
import { DeadlineExceeded, type Context } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import { TlsTrust } from '../../net/tls/index.ts';
import { connectionErrorText, DialAgent, startRequest } from '../dial/index.ts';
import type { Dialer, DialPolicy, PermittedTarget, ServiceResolver } from '../dial/index.ts';
import { readResponse, type ExpectedReview, type WebhookResponse } from './read-response.ts';

/** WebhookClientConfig of the API: a URL or a Service, and the CA bundle. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** PEM in base64. */
  readonly caBundle?: string;
}

interface WebhookRequest {
  readonly config: WebhookClientConfig;
  readonly body: Buffer;
  readonly expects: ExpectedReview;
  readonly timeoutSeconds: number;
  readonly signal?: AbortSignal;
}

interface Webhook {
  readonly agent: DialAgent;
  /** Has a port only if the configuration has one. */
  readonly authority: string;
  readonly path: string;
  locate(): PermittedTarget;
}

const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
const MAX_CLIENTS = 200;

/** Reaches a webhook in another way than over the network. */
export type SendToWebhook = (request: {
  readonly authority: string;
  readonly path: string;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}) => Promise<WebhookResponse>;

interface WebhookDialOptions {
  readonly send?: SendToWebhook;
  readonly dialer: Dialer;
  readonly policy: DialPolicy;
  readonly resolver: ServiceResolver;
}

export class WebhookClients {
  #webhooks = new Map<string, Webhook>();
  readonly #ctx: Context;
  readonly #dialOptions: WebhookDialOptions;

  constructor(ctx: Context, dialOptions: WebhookDialOptions) {
    this.#ctx = ctx;
    this.#dialOptions = dialOptions;
    ctx.signal.addEventListener('abort', () => this.#closeAll(), { once: true });
  }

  /** Creates the client; throws if the configuration is invalid. */
  prepare(config: WebhookClientConfig): void {
    this.#webhook(config);
  }

  /** Returns the response. Throws a StatusError if the webhook returns one, and an Error if the call fails. */
  async post({ config, body, expects, timeoutSeconds, signal }: WebhookRequest): Promise<unknown> {
    const webhook = this.#webhook(config);
    const location = `${webhook.path}?timeout=${timeoutSeconds}s`;
    const controller = new AbortController();
    const cancel = (): void => controller.abort(signal?.reason);
    const timer = this.#ctx.clock.after(timeoutSeconds * 1000, () =>
      controller.abort(new DeadlineExceeded(timeoutSeconds * 1000)),
    );
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const response = await this.#exchange(webhook, body, location, controller.signal);
      try {
        return readResponse(response, expects);
      } catch (error) {
        throw new WebhookResponseError(error as Error);
      }
    } catch (error) {
      if (error instanceof WebhookResponseError) throw error.cause;
      throw new Error(
        `Post ${quote(`https://${webhook.authority}${location}`)}: ${reasonOf(error, controller.signal)}`,
        { cause: error },
      );
    } finally {
      timer.cancel();
      signal?.removeEventListener('abort', cancel);
    }
  }

  async #exchange(webhook: Webhook, body: Buffer, location: string, signal: AbortSignal): Promise<WebhookResponse> {
    const { send } = this.#dialOptions;
    if (send) return send({ authority: webhook.authority, path: location, body, signal });
    for (let attempt = 0; ; attempt++) {
      const outgoing = startRequest(this.#dialOptions.dialer, {
        target: webhook.locate(),
        agent: webhook.agent,
        method: 'POST',
        path: location,
        headers: {
          host: webhook.authority,
          'content-type': 'application/json',
          accept: 'application/json, */*',
          'user-agent': 'kube-apiserver-admission',
        },
        body,
        signal,
      });
      try {
        const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
          outgoing.once('response', resolve).once('error', reject);
          outgoing.end(body);
        });
        return {
          status: incoming.statusCode ?? 0,
          contentType: incoming.headers['content-type'] ?? '',
          text: await readAll(incoming),
        };
      } catch (error) {
        // The server closed an idle connection at the moment it was reused: try again with a new one.
        const raced = outgoing.reusedSocket && (error as { code?: string }).code === 'ECONNRESET' && !signal.aborted;
        if (!raced || attempt > 0) throw error;
      }
    }
  }

  #webhook(config: WebhookClientConfig): Webhook {
    const key = JSON.stringify([config.url, config.service, config.caBundle]);
    let webhook = this.#webhooks.get(key);
    if (!webhook) {
      webhook = this.#createWebhook(config);
      if (this.#webhooks.size >= MAX_CLIENTS) this.#dropOldest();
    } else this.#webhooks.delete(key);
    this.#webhooks.set(key, webhook);
    return webhook;
  }

  #createWebhook({ url, service, caBundle }: WebhookClientConfig): Webhook {
    const { dialer, policy, resolver } = this.#dialOptions;
    const ca = caBundle ? Buffer.from(caBundle, 'base64').toString('utf8') : undefined;
    const agent = new DialAgent(dialer);
    if (service) {
      const { namespace, name, port = 443 } = service;
      const serverName = `${name}.${namespace}.svc`;
      const tls = new TlsTrust({ ca, serverName });
      const locate = (): PermittedTarget => ({ ...resolver.resolve(namespace, name, port), tls });
      return { agent, authority: `${serverName}:${port}`, path: cleanPath(service.path ?? '/'), locate };
    }
    if (!url) throw new Error('webhook configuration must have either service or URL');
    const parsed = new URL(url);
    const host = parsed.hostname.replace(/^\[|\]$/g, '');
    const target = { host, port: Number(parsed.port || 443), tls: new TlsTrust({ ca }) };
    return {
      agent,
      authority: parsed.host,
      path: cleanPath(parsed.pathname),
      locate: () => policy.permit(target, 'operator'),
    };
  }

  #dropOldest(): void {
    const [key, webhook] = this.#webhooks.entries().next().value!;
    this.#webhooks.delete(key);
    webhook.agent.destroy();
  }

  #closeAll(): void {
    for (const { agent } of this.#webhooks.values()) agent.destroy();
    this.#webhooks.clear();
  }
}

/** An error in the response, as opposed to a connection error. */
class WebhookResponseError extends Error {
  constructor(override readonly cause: Error) {
    super(cause.message);
  }
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted)
    return signal.reason instanceof DeadlineExceeded ? 'context deadline exceeded' : 'context canceled';
  return isStatusError(error) ? error.message : connectionErrorText(error);
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) throw new Error(`the response is longer than ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const cleanPath = (given: string): string => path.posix.join('/', given).replace(/(.)\/$/, '$1');
