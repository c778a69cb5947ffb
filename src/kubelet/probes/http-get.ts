/** An HTTP request to a container, for probes and lifecycle hooks. */
import http from 'node:http';
import https from 'node:https';
import type { HTTPGetAction } from '../../api/generated/core-v1.ts';
import { TlsTrust } from '../../net/tls/index.ts';
import type { Dial } from './dial.ts';

interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  readonly location: string | undefined;
}

interface HttpGet {
  readonly url: URL;
  readonly headers: readonly (readonly [string, string])[];
  readonly dial: Dial;
  readonly signal: AbortSignal;
}

const MAX_BODY = 10 * 1024;

/** Probes do not verify the server's certificate. */
const ANY_SERVER = new TlsTrust({ insecureSkipVerify: true });

/** The URL of an httpGet action on a pod with this IP. */
export function actionUrl({ scheme = 'HTTP', host, path = '/' }: HTTPGetAction, podIp: string, port: number): URL {
  const name = host || podIp;
  return new URL(
    `${scheme.toLowerCase()}://${name.includes(':') ? `[${name}]` : name}:${port}${path.startsWith('/') ? path : `/${path}`}`,
  );
}

export function actionHeaders({ httpHeaders = [] }: HTTPGetAction, userAgent: string): [string, string][] {
  const headers: [string, string][] = httpHeaders.map(({ name, value }) => [name, value]);
  const has = (wanted: string): boolean => headers.some(([name]) => name.toLowerCase() === wanted);
  if (!has('user-agent')) headers.push(['User-Agent', userAgent]);
  if (!has('accept')) headers.push(['Accept', '*/*']);
  return headers.filter(([, value]) => value !== '');
}

export async function httpGet({ url, headers, dial, signal }: HttpGet): Promise<HttpAnswer> {
  const isTls = url.protocol === 'https:';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const dialled = await dial(url.hostname.replace(/^\[|\]$/g, ''), port, signal);
  const socket = isTls ? await ANY_SERVER.connect({ socket: dialled, host: url.hostname, signal }) : dialled;
  return new Promise((resolve, reject) => {
    // Without an agent, which would open a connection of its own.
    const createConnection = (): typeof socket => socket;
    const request = (isTls ? https : http).request({
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      setHost: !headers.some(([name]) => name.toLowerCase() === 'host'),
      host: url.hostname,
      port,
      headers: Object.fromEntries(headers),
      createConnection,
      signal,
    });
    request.once('error', (error) => {
      socket.destroy();
      reject(error);
    });
    // Node closes a request that the server upgrades, without a response and without an error.
    const closed = (): void => reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
    request.once('close', closed);
    request.once('response', (response) => {
      request.off('close', closed);
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length <= MAX_BODY) chunks.push(chunk);
      });
      response.once('error', reject);
      response.once('end', () => {
        socket.destroy();
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks).toString(),
          location: response.headers.location,
        });
      });
    });
    request.end();
  });
}
