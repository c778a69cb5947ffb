import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../kernel/index.ts';
import { createHttpServer } from '../net/http/index.ts';
import { IngressProxy } from './proxy.ts';

const endings: (() => void)[] = [];
afterEach(() => endings.splice(0).forEach((end) => end()));

/** What a client gets that sends these bytes, and the request as the endpoint sees it. */
async function throughProxy(
  request: string,
  answer: string,
): Promise<{ answer: string; seen: string; failures: unknown[] }> {
  let seen = '';
  const endpoint = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes: Buffer) => {
      seen = bytes.toString();
      socket.end(answer);
    });
  });
  const failures: unknown[] = [];
  endpoint.listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  const proxy = new IngressProxy({
    logger: silentLogger,
    scheme: 'http',
    route: () => ({ ip: '127.0.0.1', port: (endpoint.address() as net.AddressInfo).port }),
  });
  const server = createHttpServer({
    request: proxy.handle,
    upgrade: proxy.upgrade,
    failed: (error) => void failures.push(error),
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(
    () => server.close().closeAllConnections(),
    () => endpoint.close(),
    () => proxy.close(),
  );
  const client = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1').on('error', () => {});
  let received = '';
  client.on('data', (bytes: Buffer) => (received += bytes.toString()));
  client.write(request);
  await once(client, 'close');
  return { answer: received, seen, failures };
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok';

describe('an Ingress’ proxy', () => {
  it('passes on a request of HTTP/1.0, which has no Host', async () => {
    const { answer, seen, failures } = await throughProxy('GET /a HTTP/1.0\r\n\r\n', OK);
    expect(failures).toEqual([]);
    expect(answer).toContain('200 OK');
    expect(seen).toContain('GET /a HTTP/1.1');
    expect(seen).not.toContain('x-forwarded-host');
  });

  it('answers 502 for an endpoint with an invalid status', async () => {
    const { answer, failures } = await throughProxy(
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'HTTP/1.1 099 Odd\r\nconnection: close\r\n\r\n',
    );
    expect(failures).toEqual([]);
    expect(answer).toContain('HTTP/1.1 502 Bad Gateway');
  });
});
