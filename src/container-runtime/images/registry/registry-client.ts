/** Talks to the registry of one repository, by its mirrors first: the read side of the OCI distribution protocol. */
import type { IncomingMessage } from 'node:http';
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

export interface RegistryClientOptions {
  readonly clock: Clock;
  readonly endpoints: readonly Endpoint[];
  /** Host and path of the repository, as references spell them. */
  readonly domain: string;
  readonly path: string;
  /** Asked for only when a registry wants to know. */
  readonly credentials: () => Promise<Credentials | undefined>;
  readonly signal?: AbortSignal;
  /** How long a registry may send nothing. */
  readonly idleTimeoutMs?: number;
}

export interface FetchedManifest {
  readonly bytes: Buffer;
  readonly digest: string;
  readonly mediaType: string;
}

const ATTEMPTS = 4;
const FIRST_DELAY_MS = 250;

export class RegistryClient {
  readonly #options: RegistryClientOptions;
  /** Authorization headers that worked, by endpoint. */
  readonly #authorizations = new Map<string, string>();
  /** Loopback endpoints that turned out not to speak TLS. */
  readonly #plain = new Set<string>();

  constructor(options: RegistryClientOptions) {
    this.#options = options;
  }

  /** A manifest or index by tag or digest. Tags are only asked of endpoints that may resolve them. */
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

  /** A blob from an offset on. */
  blob({ digest }: Pick<Descriptor, 'digest'>): BlobSource {
    return (offset) =>
      this.#eachEndpoint('pull', async (endpoint) => {
        const range: Record<string, string> = offset > 0 ? { range: `bytes=${offset}-` } : {};
        const response = await this.#get(endpoint, `blobs/${digest}`, range, [416]);
        if (response.statusCode === 416) {
          response.resume();
          return { start: 0, content: await this.#get(endpoint, `blobs/${digest}`, {}) };
        }
        return { start: response.statusCode === 206 ? startOf(response) : 0, content: response };
      });
  }

  /** The first endpoint's answer; of the failures, the registry's own is the one to tell. */
  async #eachEndpoint<Result>(
    capability: 'pull' | 'resolve',
    ask: (endpoint: Endpoint) => Promise<Result>,
  ): Promise<Result> {
    let failure: unknown;
    for (const endpoint of this.#options.endpoints) {
      if (!endpoint.capabilities.includes(capability)) continue;
      try {
        return await ask(endpoint);
      } catch (error) {
        if (this.#options.signal?.aborted) throw error;
        failure = error;
      }
    }
    if (failure instanceof Error) throw failure;
    throw new ImageError('FAILED_PRECONDITION', `no endpoint of ${this.#options.domain} may be asked to ${capability}`);
  }

  async #get(
    endpoint: Endpoint,
    what: string,
    headers: Readonly<Record<string, string>>,
    fine: readonly number[] = [],
  ): Promise<IncomingMessage> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#getOnce(endpoint, what, { headers, fine });
      } catch (error) {
        if (attempt === ATTEMPTS || !isTransient(error) || this.#options.signal?.aborted) throw error;
        await this.#options.clock.sleep(FIRST_DELAY_MS * 2 ** (attempt - 1), this.#options.signal);
      }
    }
  }

  async #getOnce(
    endpoint: Endpoint,
    what: string,
    { headers, fine }: { headers: Readonly<Record<string, string>>; fine: readonly number[] },
  ): Promise<IncomingMessage> {
    let response = await this.#send(endpoint, what, headers);
    // Only now is it known whether the endpoint speaks TLS.
    const url = this.#url(endpoint, what);
    const challenge = response.headers['www-authenticate'];
    if (response.statusCode === 401 && challenge !== undefined) {
      const authorization = await this.#authorize(endpoint, url, challenge);
      if (authorization !== undefined && authorization !== this.#authorizations.get(endpoint.base)) {
        response.resume();
        this.#authorizations.set(endpoint.base, authorization);
        response = await this.#send(endpoint, what, headers);
      }
    }
    const status = response.statusCode ?? 0;
    if (status === 200 || status === 206 || fine.includes(status)) return response;
    const body = await readText(response, 64 * 1024).catch(() => '');
    throw statusError({ status, body, url, what: `${this.#options.domain}/${this.#options.path}` });
  }

  async #authorize(endpoint: Endpoint, url: string, challenge: string): Promise<string | undefined> {
    // Credentials are the registry's, not a mirror's, and do not go over the network in the clear.
    const { protocol, hostname } = new URL(url);
    const safe = protocol === 'https:' || isLoopback(hostname) || endpoint.settings.plainHttp === true;
    const credentials = endpoint.isMirror || !safe ? undefined : await this.#options.credentials();
    const { signal } = this.#options;
    try {
      return await authorize(challenge, {
        credentials,
        scope: `repository:${this.#options.path}:pull`,
        settings: endpoint.settings,
        limit: this.#options,
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      throw connectionError(error, url);
    }
  }

  async #send(endpoint: Endpoint, what: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
    const url = this.#url(endpoint, what);
    const authorization = this.#authorizations.get(endpoint.base);
    const { signal } = this.#options;
    const request = {
      headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
      settings: endpoint.settings,
      limit: this.#options,
      ...(signal === undefined ? {} : { signal }),
    };
    try {
      return await send({ ...request, url });
    } catch (error) {
      if (endpoint.mayFallBack && !this.#plain.has(endpoint.base) && isPlainHttpAnswer(error)) {
        this.#plain.add(endpoint.base);
        return this.#send(endpoint, what, headers);
      }
      throw connectionError(error, url);
    }
  }

  #url(endpoint: Endpoint, what: string): string {
    const base = this.#plain.has(endpoint.base) ? endpoint.base.replace(/^https:/, 'http:') : endpoint.base;
    return `${base}/${this.#options.path}/${what}${endpoint.isMirror ? `?ns=${encodeURIComponent(this.#options.domain)}` : ''}`;
  }
}

function startOf(response: IncomingMessage): number {
  return Number(/^bytes ([0-9]+)-/.exec(response.headers['content-range'] ?? '')?.[1] ?? Number.NaN);
}
