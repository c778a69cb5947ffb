/** How requests reach another API server: over TLS, with the front proxy's certificate, in the name of a user. */
import type { IncomingMessage } from 'node:http';
import type { Context } from '../../kernel/index.ts';
import { TlsTrust } from '../../net/tls/index.ts';
import { DialAgent, send, type Dialer, type PermittedTarget, type ServiceResolver } from '../dial/index.ts';
import type { KeyPair } from '../pki/certificates.ts';
import type { UserInfo } from '../request/request.ts';
import type { RemoteService } from './remote-service.ts';

export interface RemoteRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
}

/** Connections to one APIService, for as long as it says the same of its server's certificate. */
interface Trusted {
  readonly trust: TlsTrust;
  readonly agent: DialAgent;
  readonly said: string;
}

export interface RemoteDialling {
  readonly dialer: Dialer;
  readonly resolver: ServiceResolver;
  /** The certificate by which other servers know that they are asked by this one. */
  readonly frontProxyClient: KeyPair;
}

export class RemoteConnections {
  #trusted = new Map<string, Trusted>();
  readonly #dialling: RemoteDialling;

  constructor(ctx: Context, dialling: RemoteDialling) {
    this.#dialling = dialling;
    ctx.signal.addEventListener('abort', () => this.#close(), { once: true });
  }

  get dialer(): Dialer {
    return this.#dialling.dialer;
  }

  /** One of the endpoints; fails when there is none that may be dialled. */
  locate(remote: RemoteService): PermittedTarget {
    const { namespace, name, port } = remote.service;
    return { ...this.#dialling.resolver.resolve(namespace, name, port), tls: this.#of(remote).trust };
  }

  /** The answer's head; its body follows. */
  send(remote: RemoteService, target: PermittedTarget, request: RemoteRequest): Promise<IncomingMessage> {
    return send(this.#dialling.dialer, { ...request, target, agent: this.#of(remote).agent });
  }

  #of({ name, service, object }: RemoteService): Trusted {
    const { caBundle, insecureSkipTLSVerify } = object.spec ?? {};
    const said = JSON.stringify([service.namespace, service.name, caBundle, insecureSkipTLSVerify]);
    const known = this.#trusted.get(name);
    if (known?.said === said) return known;
    known?.agent.destroy();
    const { certificate: cert, key } = this.#dialling.frontProxyClient;
    const trust = new TlsTrust({
      ca: caBundle ? Buffer.from(caBundle, 'base64').toString('utf8') : undefined,
      insecureSkipVerify: insecureSkipTLSVerify,
      serverName: `${service.name}.${service.namespace}.svc`,
      cert,
      key,
    });
    const made = { trust, agent: new DialAgent(this.#dialling.dialer), said };
    this.#trusted.set(name, made);
    return made;
  }

  forget(name: string): void {
    this.#trusted.get(name)?.agent.destroy();
    this.#trusted.delete(name);
  }

  #close(): void {
    for (const { agent } of this.#trusted.values()) agent.destroy();
    this.#trusted.clear();
  }
}

/** X-Remote-User and its like: the other server believes them because of the front proxy's certificate. */
export function identityHeaders({ name, uid, groups, extra }: UserInfo): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'x-remote-user': asBytes(name) };
  if (uid) headers['x-remote-uid'] = asBytes(uid);
  if (groups.length > 0) headers['x-remote-group'] = groups.map(asBytes);
  for (const [key, values] of Object.entries(extra ?? {}))
    headers[`x-remote-extra-${escapeKey(key)}`] = values.map(asBytes);
  return headers;
}

/** Header values are bytes: UTF-8 text travels as its bytes, as Go sends it. */
const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Header names take few characters; the others, and the percent sign, are percent-encoded. */
const escapeKey = (key: string): string =>
  [...Buffer.from(key, 'utf8')]
    .map((byte) =>
      isTokenByte(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');

const isTokenByte = (byte: number): boolean => /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte));
