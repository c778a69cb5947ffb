/** A client of one repository by the OCI distribution protocol. Pulls try mirrors first; pushes go to the registry itself. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Clock } from '../../../kernel/index.ts';
import type { BlobSource } from '../blob-store.ts';
import { digestOf, hashFor, parseDigest } from '../digest.ts';
import { ImageError } from '../image-error.ts';
import { ACCEPT } from '../manifest/media-types.ts';
import type { Descriptor } from '../manifest/oci-types.ts';
import { MAX_DOCUMENT_BYTES } from '../manifest/parse-manifest.ts';
import { authorize } from './authorize.ts';
import type { Credentials } from './credentials.ts';
import { isLoopback, type Endpoint } from './endpoints.ts';
import { readBytes, readText, send } from './http-request.ts';
import { connectionError, isPlainHttpAnswer, isTransient, statusError } from './registry-errors.ts';
import type { Dial } from './registry-options.ts';

interface RegistryClientOptions {
  readonly clock: Clock;
  readonly endpoints: readonly Endpoint[];
  /** Host and path of the repository, as references spell them. */
  readonly domain: string;
  readonly path: string;
  /** Called only when the registry demands credentials. */
  readonly credentials: () => Promise<Credentials | undefined>;
  readonly signal?: AbortSignal;
  /** The idle timeout of requests. */
  readonly idleTimeoutMs?: number;
  readonly dial?: Dial;
  /** What a token is asked for; default `pull`. */
  readonly actions?: 'pull' | 'pull,push';
}

export interface FetchedManifest {
  readonly bytes: Buffer;
  readonly digest: string;
  readonly mediaType: string;
}

interface RequestVariant {
  /** Default GET. */
  readonly method?: 'GET' | 'HEAD' | 'POST';
  /** Besides 200 and 206. */
  readonly acceptedStatuses?: readonly number[];
}

const NO_BODY = { 'content-length': '0' };
const ATTEMPTS = 4;
const FIRST_DELAY_MS = 250;

export class RegistryClient {
  readonly #options: RegistryClientOptions;
  /** Authorization headers that worked, by endpoint. */
  readonly #authorizations = new Map<string, string>();
  /** Loopback endpoints that do not speak TLS. */
  readonly #plainHttp = new Set<string>();

  constructor(options: RegistryClientOptions) {
    this.#options = options;
  }

  /** Fetches a manifest or index by tag or digest. Tags need an endpoint with the capability `resolve`. */
  async manifest(reference: string, expected?: Pick<Descriptor, 'digest' | 'size'>): Promise<FetchedManifest> {
    const capability = expected === undefined ? 'resolve' : 'pull';
    return this.#eachEndpoint(capability, async (endpoint) => {
      const response = await this.#get(endpoint, `manifests/${reference}`, { accept: ACCEPT });
      const bytes = await readBytes(response, MAX_DOCUMENT_BYTES);
      const digest =
        expected === undefined
          ? digestOf(bytes)
          : `${parseDigest(expected.digest).algorithm}:${hashFor(expected.digest).update(bytes).digest('hex')}`;
      if (expected !== undefined && digest !== expected.digest) {
        throw new ImageError('DATA_LOSS', `content of ${expected.digest} has the digest ${digest}`);
      }
      return { bytes, digest, mediaType: response.headers['content-type'] ?? '' };
    });
  }

  /** Fetches a blob from an offset. */
  blob({ digest }: Pick<Descriptor, 'digest'>): BlobSource {
    return (offset) =>
      this.#eachEndpoint('pull', async (endpoint) => {
        const range: Record<string, string> = offset > 0 ? { range: `bytes=${offset}-` } : {};
        const response = await this.#get(endpoint, `blobs/${digest}`, range, { acceptedStatuses: [416] });
        if (response.statusCode === 416) {
          response.resume();
          return { start: 0, content: await this.#get(endpoint, `blobs/${digest}`, {}) };
        }
        return { start: response.statusCode === 206 ? startOf(response) : 0, content: response };
      });
  }

  async hasBlob({ digest }: Pick<Descriptor, 'digest'>): Promise<boolean> {
    const response = await this.#get(
      this.#registry,
      `blobs/${digest}`,
      {},
      { method: 'HEAD', acceptedStatuses: [404] },
    );
    response.resume();
    return response.statusCode !== 404;
  }

  /** Uploads a blob in one request. */
  async pushBlob({ digest, size }: Pick<Descriptor, 'digest' | 'size'>, content: Readable): Promise<void> {
    const endpoint = this.#registry;
    const path = 'blobs/uploads/';
    const started = await this.#get(endpoint, path, NO_BODY, { method: 'POST', acceptedStatuses: [202] });
    started.resume();
    const base = this.#url(endpoint, path);
    const upload = new URL(started.headers.location ?? '', base);
    upload.searchParams.set('digest', digest);
    await this.#put(endpoint, upload, {
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
      body: content,
    });
  }

  /** Uploads a manifest, whose blobs the repository has, by its tag. */
  async pushManifest(tag: string, { bytes, mediaType }: Pick<FetchedManifest, 'bytes' | 'mediaType'>): Promise<void> {
    const endpoint = this.#registry;
    await this.#put(endpoint, new URL(this.#url(endpoint, `manifests/${tag}`)), {
      headers: { 'content-type': mediaType, 'content-length': String(bytes.length) },
      body: Readable.from([bytes]),
    });
  }

  get #registry(): Endpoint {
    const registry = this.#options.endpoints.findLast(({ isMirror }) => !isMirror);
    if (!registry)
      throw new ImageError('FAILED_PRECONDITION', `${this.#options.domain} has mirrors only, and none takes pushes`);
    return registry;
  }

  /** The endpoint has authorized an earlier request; another origin does not get the credentials. */
  async #put(
    endpoint: Endpoint,
    url: URL,
    { headers, body }: { headers: Readonly<Record<string, string>>; body: Readable },
  ): Promise<void> {
    const authorization = this.#authorizations.get(endpoint.base);
    const isSameOrigin = url.origin === new URL(this.#url(endpoint, '')).origin;
    const { signal, dial } = this.#options;
    let response: IncomingMessage;
    try {
      response = await send({
        url: url.href,
        method: 'PUT',
        headers: { ...headers, ...(authorization !== undefined && isSameOrigin ? { authorization } : {}) },
        body,
        settings: endpoint.settings,
        limit: this.#options,
        ...(signal === undefined ? {} : { signal }),
        ...(dial === undefined ? {} : { dial }),
      });
    } catch (error) {
      throw connectionError(error, url.href);
    }
    const status = response.statusCode ?? 0;
    const answer = await readText(response, 64 * 1024).catch(() => '');
    if (status !== 201) throw this.#statusError(status, answer, { url: url.href, method: 'PUT' });
  }

  #statusError(status: number, body: string, { url, method }: { url: string; method: string }): ImageError {
    return statusError({ status, body, url, method, what: `${this.#options.domain}/${this.#options.path}` });
  }

  /**
   * The answer of the first endpoint that succeeds. If all fail, the error of the last one, the registry itself, is
   * thrown.
   */
  async #eachEndpoint<Result>(
    capability: 'pull' | 'resolve',
    request: (endpoint: Endpoint) => Promise<Result>,
  ): Promise<Result> {
    let failure: unknown;
    for (const endpoint of this.#options.endpoints) {
      if (!endpoint.capabilities.includes(capability)) continue;
      try {
        return await request(endpoint);
      } catch (error) {
        if (this.#options.signal?.aborted) throw error;
        failure = error;
      }
    }
    if (failure instanceof Error) throw failure;
    throw new ImageError('FAILED_PRECONDITION', `no endpoint of ${this.#options.domain} allows to ${capability}`);
  }

  async #get(
    endpoint: Endpoint,
    path: string,
    headers: Readonly<Record<string, string>>,
    more: RequestVariant = {},
  ): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#getOnce(endpoint, path, { headers, ...more });
      } catch (error) {
        if (attempt === ATTEMPTS || !isTransient(error) || this.#options.signal?.aborted) throw error;
        await this.#options.clock.sleep(FIRST_DELAY_MS * 2 ** (attempt - 1), this.#options.signal);
      }
    }
  }

  async #getOnce(
    endpoint: Endpoint,
    path: string,
    {
      headers,
      method = 'GET',
      acceptedStatuses = [],
    }: RequestVariant & { readonly headers: Readonly<Record<string, string>> },
  ): Promise<IncomingMessage> {
    let response = await this.#send(endpoint, path, { headers, method });
    // The URL depends on whether the endpoint speaks TLS, which the first request finds out.
    const url = this.#url(endpoint, path);
    const challenge = response.headers['www-authenticate'];
    if (response.statusCode === 401 && challenge !== undefined) {
      const authorization = await this.#authorize(endpoint, url, challenge);
      if (authorization !== undefined && authorization !== this.#authorizations.get(endpoint.base)) {
        response.resume();
        this.#authorizations.set(endpoint.base, authorization);
        response = await this.#send(endpoint, path, { headers, method });
      }
    }
    const status = response.statusCode ?? 0;
    if (status === 200 || status === 206 || acceptedStatuses.includes(status)) return response;
    const body = await readText(response, 64 * 1024).catch(() => '');
    throw this.#statusError(status, body, { url, method });
  }

  async #authorize(endpoint: Endpoint, url: string, challenge: string): Promise<string | undefined> {
    // Mirrors do not get the registry's credentials, and credentials are not sent unencrypted.
    const { protocol, hostname } = new URL(url);
    const safe = protocol === 'https:' || isLoopback(hostname) || endpoint.settings.plainHttp === true;
    const credentials = endpoint.isMirror || !safe ? undefined : await this.#options.credentials();
    const { signal, dial } = this.#options;
    try {
      return await authorize(challenge, {
        credentials,
        scope: `repository:${this.#options.path}:${this.#options.actions ?? 'pull'}`,
        settings: endpoint.settings,
        limit: this.#options,
        ...(signal === undefined ? {} : { signal }),
        ...(dial === undefined ? {} : { dial }),
      });
    } catch (error) {
      throw connectionError(error, url);
    }
  }

  async #send(
    endpoint: Endpoint,
    path: string,
    { headers, method }: { readonly headers: Readonly<Record<string, string>>; readonly method: string },
  ): Promise<IncomingMessage> {
    const url = this.#url(endpoint, path);
    const authorization = this.#authorizations.get(endpoint.base);
    const { signal, dial } = this.#options;
    const request = {
      method,
      headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
      settings: endpoint.settings,
      limit: this.#options,
      ...(signal === undefined ? {} : { signal }),
      ...(dial === undefined ? {} : { dial }),
    };
    try {
      return await send({ ...request, url });
    } catch (error) {
      if (endpoint.mayFallBack && !this.#plainHttp.has(endpoint.base) && isPlainHttpAnswer(error)) {
        this.#plainHttp.add(endpoint.base);
        return this.#send(endpoint, path, { headers, method });
      }
      throw connectionError(error, url);
    }
  }

  #url(endpoint: Endpoint, path: string): string {
    const base = this.#plainHttp.has(endpoint.base) ? endpoint.base.replace(/^https:/, 'http:') : endpoint.base;
    return `${base}/${this.#options.path}/${path}${endpoint.isMirror ? `?ns=${encodeURIComponent(this.#options.domain)}` : ''}`;
  }
}

function startOf(response: IncomingMessage): number {
  return Number(/^bytes ([0-9]+)-/.exec(response.headers['content-range'] ?? '')?.[1] ?? Number.NaN);
}
