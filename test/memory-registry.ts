import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A registry of the OCI distribution protocol in this process, for pulls and pushes. */
export interface MemoryRegistry {
  /** As references spell it: `127.0.0.1:PORT`. */
  readonly host: string;
  readonly url: string;
  /** `METHOD path` of every request. */
  readonly requests: string[];
  /** By repository and tag or digest. */
  readonly manifests: Map<string, { readonly bytes: Buffer; readonly type: string }>;
  close(): Promise<void>;
}

export interface MemoryRegistryOptions {
  /** Wants a bearer token, which `user` gets with `password` for the scope that the request needs. */
  readonly user?: string;
  readonly password?: string;
  /** Breaks the first uploads. */
  readonly failedUploads?: number;
}

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export async function startMemoryRegistry(options: MemoryRegistryOptions = {}): Promise<MemoryRegistry> {
  const blobs = new Map<string, Buffer>();
  const manifests: MemoryRegistry['manifests'] = new Map();
  const tokens = new Map<string, string>();
  const requests: string[] = [];
  let failures = options.failedUploads ?? 0;
  const server = http.createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { method = 'GET' } = request;
    const { pathname, searchParams } = new URL(request.url ?? '/', `http://${host}`);
    requests.push(`${method} ${pathname}`);
    const send = (status: number, headers: http.OutgoingHttpHeaders = {}, body: Buffer | string = ''): void => {
      response.writeHead(status, headers).end(method === 'HEAD' ? '' : body);
    };
    if (pathname === '/token') {
      const expected = `Basic ${Buffer.from(`${options.user}:${options.password}`).toString('base64')}`;
      if (request.headers.authorization !== expected) return send(401);
      const token = randomUUID();
      tokens.set(token, searchParams.get('scope') ?? '');
      return send(200, { 'content-type': 'application/json' }, JSON.stringify({ token }));
    }
    const [, repository = '', kind = '', name = ''] =
      /^\/v2\/(.+)\/(blobs|manifests)\/(.+?)?$/.exec(pathname) ??
      /^\/v2\/(.+)\/(blobs\/uploads)\/(.*)$/.exec(pathname) ??
      [];
    const isWrite = method !== 'GET' && method !== 'HEAD';
    if (options.user !== undefined) {
      const scope = tokens.get((request.headers.authorization ?? '').replace(/^Bearer /, ''));
      const action = isWrite ? 'push' : 'pull';
      if (scope === undefined || !scope.startsWith(`repository:${repository}:`) || !scope.includes(action)) {
        request.resume();
        return send(401, { 'www-authenticate': `Bearer realm="http://${host}/token",service="test"` });
      }
    }
    const body = isWrite ? await buffer(request).catch(() => Buffer.alloc(0)) : Buffer.alloc(0);
    if (kind === 'manifests' && method === 'PUT') {
      const { config, layers = [] } = JSON.parse(body.toString()) as {
        config: { digest: string };
        layers?: { digest: string }[];
      };
      if (![config, ...layers].every(({ digest }) => blobs.has(digest))) return send(400);
      const stored = { bytes: body, type: request.headers['content-type'] ?? '' };
      manifests.set(`${repository}:${name}`, stored).set(`${repository}:${digestOf(body)}`, stored);
      return send(201);
    }
    if (kind === 'manifests') {
      const found = manifests.get(`${repository}:${name}`);
      return found ? send(200, { 'content-type': found.type }, found.bytes) : send(404);
    }
    if (method === 'POST') return send(202, { location: `/v2/${repository}/blobs/uploads/${randomUUID()}?state=x` });
    if (method === 'PUT') {
      if (failures-- > 0) return send(503);
      const digest = searchParams.get('digest') ?? '';
      if (searchParams.get('state') !== 'x' || digestOf(body) !== digest) return send(400);
      blobs.set(digest, body);
      return send(201);
    }
    const found = blobs.get(name);
    return found ? send(200, { 'content-length': found.length }, found) : send(404);
  }

  return {
    host,
    url: `http://${host}`,
    requests,
    manifests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
