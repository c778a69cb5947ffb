import http from 'node:http';
import net from 'node:net';
import { listenIn } from '../src/net/netns/index.ts';

/** An HTTP proxy on a namespace's loopback: what is in there reaches the mirrors of packages, and nothing else. */
export async function startHttpProxy(netns: string): Promise<{ readonly url: string; close(): void }> {
  const sockets = new Set<net.Socket>();
  const keep = <T extends net.Socket>(socket: T): T => {
    sockets.add(socket);
    return socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const server = http.createServer((request, response) => {
    const { hostname, port, pathname, search } = new URL(request.url ?? '');
    const forwarded = http.request(
      { hostname, port, path: pathname + search, method: request.method, headers: request.headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.on('error', () => response.destroy()).pipe(response);
      },
    );
    forwarded.on('socket', keep).on('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    request.pipe(forwarded);
  });
  server.on('connection', keep);
  server.on('connect', (request: http.IncomingMessage, client: net.Socket, head: Buffer) => {
    const { hostname, port } = new URL(`tcp://${request.url ?? ''}`);
    const remote = keep(
      net.connect(Number(port), hostname, () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        remote.write(head);
        remote.pipe(client).pipe(remote);
      }),
    );
    client.on('close', () => remote.destroy());
    remote.on('close', () => client.destroy());
  });
  await listenIn(server, { netns, host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
