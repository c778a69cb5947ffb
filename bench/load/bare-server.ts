/** The least that Node can do for a request: what the load process measures of itself. Says its port to its parent. */
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';

const { key, cert } = JSON.parse(process.argv[2] ?? '{}') as { key: string; cert: string };
const answer = Buffer.alloc(3500, 'x');
const server = http2.createSecureServer({ key, cert });
server.on('stream', (stream) => {
  stream.on('error', () => {});
  stream.respond({ ':status': 200, 'content-type': 'application/json', 'content-length': answer.length });
  stream.end(answer);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
