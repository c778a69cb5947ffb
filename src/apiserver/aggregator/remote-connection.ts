/** Connections to aggregated API servers: over TLS, with the front proxy's certificate, and the user in X-Remote-* headers. */
import type { IncomingMessage } from 'node:http';
import tls from 'node:tls';
import type { Context } from '../../kernel/index.ts';
import { TlsTrust } from '../../net/tls/index.ts';
import { DialAgent, send, type Dialer, type PermittedTarget, type ServiceResolver } from '../dial/index.ts';
import type { KeyPair } from '../pki/certificates.ts';
import type { UserInfo } from '../request/request.ts';
import type { RemoteService } from './remote-service.ts';

interface RemoteRequest {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
}

/** The TLS settings and connections of one APIService; replaced when its Service or CA changes. */
interface RemoteConnection {
  readonly trust: TlsTrust;
  readonly agent: DialAgent;
  readonly configKey: string;
}

export interface RemoteDialOptions {
  readonly dialer: Dialer;
  readonly resolver: ServiceResolver;
  /** The client certificate that aggregated servers trust (--proxy-client-cert-file). */
  readonly frontProxyClient: () => KeyPair;
}

/** Pairs whose certificate and key were seen to fit: servers of one process may share theirs. */
const fitting = new WeakSet<KeyPair>();

export class RemoteConnections {
  #connections = new Map<string, RemoteConnection>();
  readonly #dialOptions: RemoteDialOptions;

  constructor(ctx: Context, dialOptions: RemoteDialOptions) {
    this.#dialOptions = dialOptions;
    ctx.signal.addEventListener('abort', () => this.#close(), { once: true });
  }

  get dialer(): Dialer {
    return this.#dialOptions.dialer;
  }

  /** Throws when certificate and key of the client do not fit: every aggregated server would refuse it. */
  loadClientCertificate(): void {
    const client = this.#dialOptions.frontProxyClient();
    if (fitting.has(client)) return;
    tls.createSecureContext({ cert: client.certificate, key: client.key });
    fitting.add(client);
  }

  /** Chooses an endpoint. Throws if there is none that may be dialled. */
  locate(remote: RemoteService): PermittedTarget {
    const { namespace, name, port } = remote.service;
    return { ...this.#dialOptions.resolver.resolve(namespace, name, port), tls: this.#connectionOf(remote).trust };
  }

  /** Resolves with the head of the response. */
  send(remote: RemoteService, target: PermittedTarget, request: RemoteRequest): Promise<IncomingMessage> {
    return send(this.#dialOptions.dialer, { ...request, target, agent: this.#connectionOf(remote).agent });
  }

  #connectionOf({ name, service, object }: RemoteService): RemoteConnection {
    const { caBundle, insecureSkipTLSVerify } = object.spec ?? {};
    const { certificate: cert, key } = this.#dialOptions.frontProxyClient();
    const configKey = JSON.stringify([service.namespace, service.name, caBundle, insecureSkipTLSVerify, cert]);
    const known = this.#connections.get(name);
    if (known?.configKey === configKey) return known;
    known?.agent.destroy();
    const trust = new TlsTrust({
      ca: caBundle ? Buffer.from(caBundle, 'base64').toString('utf8') : undefined,
      insecureSkipVerify: insecureSkipTLSVerify,
      serverName: `${service.name}.${service.namespace}.svc`,
      cert,
      key,
    });
    const connection = { trust, agent: new DialAgent(this.#dialOptions.dialer), configKey };
    this.#connections.set(name, connection);
    return connection;
  }

  forget(name: string): void {
    this.#connections.get(name)?.agent.destroy();
    this.#connections.delete(name);
  }

  #close(): void {
    for (const { agent } of this.#connections.values()) agent.destroy();
    this.#connections.clear();
  }
}

/** The X-Remote-* headers, which the aggregated server trusts because of the front proxy's certificate. */
export function identityHeaders({ name, uid, groups, extra }: UserInfo): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'x-remote-user': asBytes(name) };
  if (uid) headers['x-remote-uid'] = asBytes(uid);
  if (groups.length > 0) headers['x-remote-group'] = groups.map(asBytes);
  for (const [key, values] of Object.entries(extra ?? {}))
    headers[`x-remote-extra-${escapeKey(key)}`] = values.map(asBytes);
  return headers;
}

/** Header values are sent as UTF-8 bytes, as Go does. */
const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Percent-encodes the characters that header names do not allow, and the percent sign. */
const escapeKey = (key: string): string =>
  [...Buffer.from(key, 'utf8')]
    .map((byte) =>
      isTokenByte(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');

const isTokenByte = (byte: number): boolean => /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte));
