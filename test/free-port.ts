import dgram from 'node:dgram';
import net from 'node:net';

/**
 * Below the ports that the kernel gives to outgoing connections and to servers that listen on port 0 (32768 and above), and below
 * node ports (30000): whoever is given one of these asked for it by number.
 */
const FIRST = 10_000;
const COUNT = 20_000;

const given = new Set<number>();

/** A port on which nobody listens at 127.0.0.1, for UDP and for TCP; every call gives another one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const [tcp, udp] = [net.createServer(), dgram.createSocket('udp4')];
  const tcpOpens = await opens(tcp, () => tcp.listen(port, '127.0.0.1'));
  const udpOpens = await opens(udp, () => udp.bind(port, '127.0.0.1'));
  return tcpOpens && udpOpens;
}

/** Closes it again. */
function opens(socket: net.Server | dgram.Socket, open: () => void): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once('listening', () => socket.close(() => resolve(true)));
    socket.once('error', () => {
      socket.close();
      resolve(false);
    });
    open();
  });
}
