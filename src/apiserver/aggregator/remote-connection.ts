/** How requests reach another API server: over TLS, with the front proxy's certificate, in the name of a user. */
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Context } from '../../kernel/index.ts';
import type { KeyPair } from '../pki/certificates.ts';
import type { UserInfo } from '../request.ts';
import type { Target } from '../subresources/kubelet-proxy.ts';
import type { ResolvedEndpoint, ServiceResolver } from '../webhook-client/index.ts';
import type { RemoteService } from './remote-service.ts';

export interface RemoteRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
}

interface TlsOptions {
  readonly cert: string;
  readonly key: string;
  readonly servername: string;
  readonly ca?: string;
  readonly rejectUnauthorized?: false;
}

const IDLE_MS = 90_000;

export class RemoteConnections {
  #agents = new Map<string, https.Agent>();

  constructor(
    ctx: Context,
    private readonly resolver: ServiceResolver,
    private readonly frontProxyClient: KeyPair,
  ) {
    ctx.signal.addEventListener('abort', () => this.#close(), { once: true });
  }

  /** One of the endpoints; fails when there is none. */
  locate({ service }: RemoteService): ResolvedEndpoint {
    return this.resolver.resolve(service.namespace, service.name, service.port);
  }

  /** For connections that are taken over. */
  target(remote: RemoteService): Target {
    return { ...this.locate(remote), tls: this.#tls(remote) };
  }

  /** The answer's head; its body follows. */
  send(remote: RemoteService, { host, port }: ResolvedEndpoint, { method, path, headers, body, signal }: RemoteRequest): Promise<IncomingMessage> {
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    return new Promise((resolve, reject) => {
      const outgoing = https.request({ host, port, method, path, headers: { ...headers, host: authority }, signal, agent: this.#agent(remote), ...this.#tls(remote) });
      outgoing.once('response', resolve).once('error', reject);
      if (body) outgoing.setHeader('content-length', body.length);
      outgoing.end(body);
    });
  }

  #tls({ service, object }: RemoteService): TlsOptions {
    const { caBundle, insecureSkipTLSVerify } = object.spec ?? {};
    const base = { cert: this.frontProxyClient.certificate, key: this.frontProxyClient.key, servername: `${service.name}.${service.namespace}.svc` };
    if (insecureSkipTLSVerify) return { ...base, rejectUnauthorized: false };
    return caBundle ? { ...base, ca: Buffer.from(caBundle, 'base64').toString('utf8') } : base;
  }

  /** Agents hold connections by address and TLS options: one for each APIService will do. */
  #agent({ name }: RemoteService): https.Agent {
    let agent = this.#agents.get(name);
    if (!agent) this.#agents.set(name, (agent = new https.Agent({ keepAlive: true, maxFreeSockets: 25, timeout: IDLE_MS })));
    return agent;
  }

  forget(name: string): void {
    this.#agents.get(name)?.destroy();
    this.#agents.delete(name);
  }

  #close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }
}

/** X-Remote-User and its like: the other server believes them because of the front proxy's certificate. */
export function identityHeaders({ name, uid, groups, extra }: UserInfo): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'x-remote-user': name };
  if (uid) headers['x-remote-uid'] = uid;
  if (groups.length > 0) headers['x-remote-group'] = [...groups];
  for (const [key, values] of Object.entries(extra ?? {})) headers[`x-remote-extra-${escapeKey(key)}`] = [...values];
  return headers;
}

/** Header names take few characters; the others, and the percent sign, are percent-encoded. */
const escapeKey = (key: string): string => [...Buffer.from(key, 'utf8')].map((byte) => (isTokenByte(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)).join('');

const isTokenByte = (byte: number): boolean => /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte));
