/**
 * A server that answers upgrade requests as a test says, byte by byte, plain and over TLS, and keeps what it was sent.
 * To all other requests it is a kubelet, Pod or aggregated API server as good as any.
 */
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';

/** What the backend does with the connection on which it has read a request head that asks for an upgrade. */
export type Behaviour = (socket: net.Socket) => void;

export interface UpgradeSeen {
  readonly head: string;
  /** Everything that came after the head. */
  after: string;
  /** The API server has ended the connection. */
  closed: boolean;
}

export interface HostileBackend {
  readonly plainPort: number;
  readonly tlsPort: number;
  readonly upgrades: UpgradeSeen[];
  /** Method and target of all other requests. */
  readonly requests: string[];
  behaviour: Behaviour;
  close(): Promise<void>;
}

export async function startHostileBackend({
  key,
  certificate,
}: {
  key: string;
  certificate: string;
}): Promise<HostileBackend> {
  const sockets = new Set<net.Socket>();
  const upgrades: UpgradeSeen[] = [];
  const requests: string[] = [];
  const serve = (socket: net.Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let pending = '';
    let upgrade: UpgradeSeen | undefined;
    socket.on('data', (bytes: Buffer) => {
      if (upgrade) {
        upgrade.after += bytes.toString('latin1');
        return;
      }
      pending += bytes.toString('latin1');
      const end = pending.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = pending.slice(0, end + 4);
      pending = pending.slice(end + 4);
      if (!/^upgrade:/im.test(head)) {
        requests.push(head.split(' ', 2).join(' '));
        return answerOrdinary(socket, head);
      }
      upgrade = { head, after: pending, closed: false };
      upgrades.push(upgrade);
      for (const event of ['end', 'close']) socket.once(event, () => (upgrade!.closed = true));
      backend.behaviour(socket);
    });
  };
  const plain = net.createServer({ allowHalfOpen: true }, serve);
  const secure = tls.createServer({ key, cert: certificate, allowHalfOpen: true }, serve);
  // Also those whose handshake failed.
  secure.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await Promise.all(
    [plain, secure].map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))),
  );
  const backend: HostileBackend = {
    plainPort: (plain.address() as AddressInfo).port,
    tlsPort: (secure.address() as AddressInfo).port,
    upgrades,
    requests,
    behaviour: (socket) => socket.destroy(),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all([plain, secure].map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
    },
  };
  return backend;
}

/** Discovery, so that an aggregated API counts as available. */
function answerOrdinary(socket: net.Socket, head: string): void {
  const [, path = ''] = head.split(' ');
  const body = JSON.stringify({
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: path.replace(/^\/apis\//, ''),
    resources: [],
  });
  socket.write(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
}
