/** The outer side of `host-network.ts`: opens sockets on the user's network and gives them to the process inside. */
import type { ChildProcess } from 'node:child_process';
import net from 'node:net';
import type { Address, HostNetworkAnswer, HostNetworkMessage, HostNetworkRequest } from './host-network.ts';

export function serveHostNetwork(child: ChildProcess): void {
  const servers = new Map<number, net.Server>();
  const answer = (body: HostNetworkAnswer, socket?: net.Socket): void => {
    const message: HostNetworkMessage<HostNetworkAnswer> = { hostNetwork: body };
    // The process inside may end at any time.
    if (!child.connected) socket?.destroy();
    else if (socket) child.send(message, socket, {}, () => undefined);
    else child.send(message, () => undefined);
  };
  const failed = (id: number, error: NodeJS.ErrnoException): void =>
    answer({ id, error: { code: error.code ?? 'EIO', message: error.message } });
  child.on('message', (message: Partial<HostNetworkMessage<HostNetworkRequest>> | null) => {
    const request = message?.hostNetwork;
    if (!request) return;
    const { id, listen, connect, close } = request;
    if (listen) {
      // Nothing is read here: the process inside gets the socket with every byte.
      const server = net.createServer({ pauseOnConnect: true }, (socket) => answer({ id, connection: true }, socket));
      servers.set(id, server);
      server.once('error', (error) => {
        servers.delete(id);
        failed(id, error);
      });
      server.listen(listen.port, listen.host, () => answer({ id, port: (server.address() as net.AddressInfo).port }));
    } else if (connect) connectTo(connect, (error, socket) => (error ? failed(id, error) : answer({ id }, socket)));
    else if (close) {
      servers.get(id)?.close();
      servers.delete(id);
    }
  });
  child.once('exit', () => {
    for (const server of servers.values()) server.close();
  });
}

function connectTo(address: Address, done: (error: Error | undefined, socket?: net.Socket) => void): void {
  const socket = net.connect({ ...address, noDelay: true });
  socket.pause();
  socket.once('error', done);
  socket.once('connect', () => {
    socket.off('error', done);
    socket.on('error', () => undefined);
    done(undefined, socket);
  });
}
