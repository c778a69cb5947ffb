/** The DNS sockets: UDP, and TCP for answers that do not fit into a datagram. */
import dgram from 'node:dgram';
import net from 'node:net';
import { whenDone } from '../base/index.ts';
import type { Context } from '../kernel/index.ts';
import type { Transport } from './respond.ts';

export interface DnsListener {
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
}

interface ListenOptions {
  readonly address: string;
  /** 0 picks a free port, the same for UDP and TCP. */
  readonly port: number;
  readonly respond: (bytes: Buffer, transport: Transport) => Buffer | undefined | Promise<Buffer | undefined>;
  /** Opens the sockets, e.g. in a node's network namespace; the default opens them in the process's own. */
  readonly sockets?: DnsSockets;
}

/** Opens bound sockets. */
export interface DnsSockets {
  udp(address: string, port: number): Promise<dgram.Socket>;
  tcp(address: string, port: number, onConnection: (socket: net.Socket) => void): Promise<net.Server>;
}

const IDLE_CONNECTION_MS = 10_000;
const MAX_CONNECTIONS = 1000;
const MAX_BIND_ATTEMPTS = 10;
/** The limit of forwarded queries in flight per connection. */
const MAX_PENDING = 100;

export async function listen(
  ctx: Context,
  { address, port, respond, sockets = hostSockets }: ListenOptions,
): Promise<DnsListener> {
  const connections = new Set<net.Socket>();
  const { udp, tcp } = await bindBoth(sockets, address, port, (socket) => {
    if (connections.size >= MAX_CONNECTIONS) {
      socket.destroy();
      return;
    }
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    serveConnection(ctx, socket, respond);
  });
  udp.on('message', (bytes, peer) => {
    // Without a callback, send is synchronous: the kernel takes the answer or drops it.
    const send = (answer: Buffer | undefined): void => {
      // A forged datagram can have source port 0, for which Node's send throws.
      if (answer && peer.port !== 0) udp.send(answer, peer.port, peer.address);
    };
    void whenDone(
      guarded(ctx, () => respond(bytes, 'udp')),
      send,
    );
  });
  udp.on('error', (error) => ctx.logger.error(error, 'DNS socket error'));
  return {
    address,
    port: udp.address().port,
    close: async () => {
      for (const socket of connections) socket.destroy();
      await Promise.all([
        new Promise<void>((resolve) => udp.close(() => resolve())),
        new Promise<void>((resolve) => tcp.close(() => resolve())),
      ]);
    },
  };
}

/**
 * Binds the same port for UDP and TCP. A port that the kernel chose for UDP may be in use for TCP: then it chooses
 * another one.
 */
async function bindBoth(
  sockets: DnsSockets,
  address: string,
  port: number,
  onConnection: (socket: net.Socket) => void,
): Promise<{ udp: dgram.Socket; tcp: net.Server }> {
  for (let attempt = 1; ; attempt++) {
    const udp = await sockets.udp(address, port);
    try {
      return { udp, tcp: await sockets.tcp(address, udp.address().port, onConnection) };
    } catch (error) {
      udp.close();
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (port !== 0 || !isTaken || attempt === MAX_BIND_ATTEMPTS) throw error;
    }
  }
}

/** Serves a TCP connection: messages with a two-byte length prefix. */
function serveConnection(ctx: Context, socket: net.Socket, respond: ListenOptions['respond']): void {
  let received = Buffer.alloc(0);
  const expire = () => ctx.clock.after(IDLE_CONNECTION_MS, () => socket.destroy());
  let idle = expire();
  socket.on('close', () => idle.cancel());
  socket.on('error', () => socket.destroy());
  let pending = 0;
  const write = (answer: Buffer | undefined): void => {
    if (!answer || socket.destroyed) return;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(answer.length);
    socket.write(Buffer.concat([length, answer]));
  };
  /**
   * While a client does not read its answers, its queries are not read either; the idle timeout closes the connection.
   */
  const isBusy = (): boolean => pending >= MAX_PENDING || socket.writableNeedDrain;
  const serveReceived = (): void => {
    while (!isBusy() && received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      const query = received.subarray(2, end);
      received = received.subarray(end);
      const answer = guarded(ctx, () => respond(query, 'tcp'));
      if (!(answer instanceof Promise)) {
        write(answer);
        continue;
      }
      pending++;
      void answer.then((late) => {
        pending--;
        write(late);
        serveReceived();
      });
    }
    if (isBusy()) socket.pause();
    else socket.resume();
  };
  socket.on('drain', serveReceived);
  socket.on('data', (bytes: Buffer) => {
    idle.cancel();
    idle = expire();
    received = Buffer.concat([received, bytes]);
    serveReceived();
  });
}

/** Logs errors instead of throwing: no input may stop the server. */
function guarded(
  ctx: Context,
  work: () => Buffer | undefined | Promise<Buffer | undefined>,
): Buffer | undefined | Promise<Buffer | undefined> {
  const failed = (error: unknown): undefined => {
    ctx.logger.error(error, 'Failed to answer a DNS query');
    return undefined;
  };
  try {
    const answer = work();
    return answer instanceof Promise ? answer.catch(failed) : answer;
  } catch (error) {
    return failed(error);
  }
}

/** Replaces Node's asynchronous DNS lookup: the peer's address is a literal, so the answer is sent at once. */
function literalAddress(
  address: string,
  _options: unknown,
  callback: (error: null, address: string, family: number) => void,
): void {
  callback(null, address, net.isIP(address));
}

const hostSockets: DnsSockets = {
  udp: (address, port) =>
    new Promise((resolve, reject) => {
      const socket = dgram.createSocket({
        type: net.isIPv6(address) ? 'udp6' : 'udp4',
        recvBufferSize: 4 * 1024 * 1024,
        lookup: literalAddress,
      });
      socket.once('error', reject);
      socket.bind(port, address, () => {
        socket.off('error', reject);
        resolve(socket);
      });
    }),
  tcp: (address, port, onConnection) =>
    new Promise((resolve, reject) => {
      const server = net.createServer(onConnection);
      server.once('error', reject);
      server.listen(port, address, () => {
        server.off('error', reject);
        resolve(server);
      });
    }),
};
