/** HTTP requests to a registry, through proxies and redirects. */
import { request as plainRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { unlessAborted } from '../../../kernel/index.ts';
import { TlsTrust, TlsTrustAgent } from '../../../net/tls/index.ts';
import { abortWhenIdle, type IdleTimeout } from '../idle-timeout.ts';
import { ImageError } from '../image-error.ts';
import { isLoopback } from './endpoints.ts';
import { proxyFor, proxyHeaders, tunnel } from './proxy.ts';
import type { Dial, EndpointSettings } from './registry-options.ts';

interface HttpRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is sent once: neither redirects nor retries send it again. */
  readonly body?: string | Readable;
  readonly settings?: EndpointSettings;
  readonly signal?: AbortSignal;
  readonly limit: IdleTimeout;
  readonly dial?: Dial;
}

const MAX_REDIRECTS = 10;

/** The response of any status. Follows redirects; other origins do not get the credentials. */
export async function send(request: HttpRequest): Promise<IncomingMessage> {
  let current = request;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await sendOnce(current);
    const { location } = response.headers;
    if (![301, 302, 303, 307, 308].includes(response.statusCode ?? 0) || location === undefined) return response;
    response.resume();
    current = redirected(current, location);
  }
  throw new ImageError('UNKNOWN', `${request.url}: more than ${MAX_REDIRECTS} redirects`);
}

export function redirected(request: HttpRequest, location: string): HttpRequest {
  const [from, to] = [new URL(request.url), new URL(location, request.url)];
  if (to.protocol !== 'http:' && to.protocol !== 'https:')
    throw new ImageError('UNKNOWN', `${request.url}: redirected to ${to.protocol}`);
  if (from.protocol === 'https:' && to.protocol === 'http:' && !isLoopback(to.hostname)) {
    throw new ImageError('UNKNOWN', `${request.url}: redirected to plain HTTP on ${to.host}`);
  }
  if (from.origin === to.origin) return { ...request, url: to.href };
  // Another origin must not get the credentials, the client certificate or the configured headers.
  const { authorization: _authorization, ...headers } = request.headers ?? {};
  const { clientCertificates: _certificates, headers: _headers, ...settings } = request.settings ?? {};
  return { ...request, url: to.href, headers, settings };
}

async function sendOnce(request: HttpRequest): Promise<IncomingMessage> {
  const { signal } = request;
  signal?.throwIfAborted();
  return signal === undefined ? connectAndSend(request) : unlessAborted(signal, connectAndSend(request));
}

async function connectAndSend({
  url,
  method = 'GET',
  headers = {},
  body,
  settings = {},
  signal,
  limit,
  dial,
}: HttpRequest): Promise<IncomingMessage> {
  const target = new URL(url);
  const proxy = proxyFor(target);
  const dialled = await dial?.(addressOf(proxy ?? target));
  const common = {
    method,
    headers: { 'user-agent': 'k8ts', ...settings.headers, ...headers },
    ...(signal === undefined ? {} : { signal }),
    ...(dialled === undefined ? {} : { createConnection: () => dialled }),
  };
  if (target.protocol === 'http:')
    return responseOf(
      proxy === undefined ? plainRequest(target, common) : plainProxyRequest(proxy, target, common),
      body,
      limit,
    );
  const { trust, agent } = trusted(settings);
  if (proxy === undefined && dialled === undefined)
    return responseOf(tlsRequest(target, { ...common, agent }), body, limit);
  const tunnelled =
    proxy === undefined
      ? dialled
      : await tunnel(proxy, target, {
          limit,
          ...(signal === undefined ? {} : { signal }),
          ...(dialled === undefined ? {} : { socket: dialled }),
        });
  const socket = await trust.connect({
    ...(tunnelled === undefined ? {} : { socket: tunnelled }),
    host: target.hostname,
    ...(signal === undefined ? {} : { signal }),
  });
  return responseOf(tlsRequest(target, { ...common, createConnection: () => socket }), body, limit);
}

const addressOf = ({ hostname, port, protocol }: URL): { host: string; port: number } => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
});

interface Trusted {
  readonly trust: TlsTrust;
  /** Keeps connections alive as long as the settings exist. */
  readonly agent: TlsTrustAgent;
}

const bySettings = new WeakMap<EndpointSettings, Trusted>();
const NO_SETTINGS: EndpointSettings = {};

/** Configured CAs are trusted in addition to the system's, as in containerd. */
function trusted(settings: EndpointSettings): Trusted {
  const { ca, clientCertificates: [client] = [], skipVerify } = settings;
  const key = ca === undefined && client === undefined && skipVerify !== true ? NO_SETTINGS : settings;
  let found = bySettings.get(key);
  if (found === undefined) {
    const trust = new TlsTrust({
      ca: ca?.join('\n'),
      alsoSystem: true,
      cert: client?.certificate,
      key: client?.key,
      insecureSkipVerify: skipVerify,
    });
    found = { trust, agent: new TlsTrustAgent(trust, { keepAlive: true, maxFreeSockets: 4 }) };
    bySettings.set(key, found);
  }
  return found;
}

function plainProxyRequest(
  proxy: URL,
  target: URL,
  common: { method: string; headers: Record<string, string> },
): ClientRequest {
  const headers = { ...common.headers, host: target.host, ...proxyHeaders(proxy) };
  return plainRequest({
    ...common,
    host: proxy.hostname,
    port: proxy.port === '' ? 80 : proxy.port,
    path: target.href,
    headers,
  });
}

async function responseOf(
  outgoing: ClientRequest,
  body: string | Readable | undefined,
  limit: IdleTimeout,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    abortWhenIdle(outgoing, limit);
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
    if (body instanceof Readable) pipeline(body, outgoing).catch(reject);
    else outgoing.end(body);
  });
}

/** A short text body, for errors and tokens. */
export async function readText(response: IncomingMessage, limit: number): Promise<string> {
  return (await readBytes(response, limit)).toString('utf8');
}

export async function readBytes(response: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new ImageError('FAILED_PRECONDITION', `the registry's answer has more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
