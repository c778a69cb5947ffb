import { once } from 'node:events';
import net from 'node:net';
import { expect, it } from 'vitest';
import { http1ServerBehind } from './settings.ts';

it('incomplete HTTP/1.1 headers time out, on connections that other servers accepted', async () => {
  const server = http1ServerBehind({ headersMs: 100, lookEveryMs: 20 });
  server.on('request', (_request, response) => response.end('answered'));
  const port = net.createServer((socket) => void server.emit('connection', socket)).listen(0, '127.0.0.1');
  await once(port, 'listening');
  try {
    const client = net.connect((port.address() as net.AddressInfo).port, '127.0.0.1');
    let received = '';
    client.on('data', (piece: Buffer) => (received += piece.toString()));
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => received).toMatch(/answered/);
    client.write('GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ');
    await once(client, 'close');
    expect(received).toMatch(/HTTP\/1\.1 408 Request Timeout/);
  } finally {
    server.close();
    port.close();
  }
});
