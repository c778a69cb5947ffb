import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createContext } from '../kernel/index.ts';
import { listen, type DnsListener, type DnsSockets } from './serve.ts';

let listener: DnsListener | undefined;
afterEach(() => listener?.close());

const ctx = createContext({ writeLog: () => {} });
const ADDRESS = '127.0.0.1';

const framed = (message: Buffer): Buffer => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
};

describe('a DNS listener', () => {
  it.each([
    ['at once', (bytes: Buffer) => bytes],
    ['late', (bytes: Buffer) => Promise.resolve(bytes)],
  ])('survives a datagram from port 0, answered %s', async (_name, respond) => {
    let udp: dgram.Socket | undefined;
    const sockets: DnsSockets = {
      udp: async (address, port) => {
        udp = dgram.createSocket('udp4').bind(port, address);
        await once(udp, 'listening');
        return udp;
      },
      tcp: async (address, port, onConnection) => {
        const server = net.createServer(onConnection).listen(port, address);
        await once(server, 'listening');
        return server;
      },
    };
    listener = await listen(ctx, { address: ADDRESS, port: 0, respond, sockets });
    const failures: unknown[] = [];
    const hear = (error: unknown): void => void failures.push(error);
    process.on('unhandledRejection', hear);
    udp!.emit('message', Buffer.from('query'), { address: ADDRESS, port: 0, family: 'IPv4', size: 5 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', hear);
    expect(failures).toEqual([]);
  });

  it('has one port for UDP and TCP, also when the first port that is free for UDP is in use for TCP', async () => {
    const taken = net.createServer().listen(0, ADDRESS);
    await once(taken, 'listening');
    const takenPort = (taken.address() as net.AddressInfo).port;
    const asked: number[] = [];
    const bind = async (port: number): Promise<dgram.Socket> => {
      const udp = dgram.createSocket('udp4').bind(port, ADDRESS);
      await once(udp, 'listening');
      return udp;
    };
    const sockets: DnsSockets = {
      // The kernel's first choice is the port that is taken.
      udp: (_address, port) => (asked.push(port), bind(asked.length === 1 ? takenPort : port)),
      tcp: async (address, port, onConnection) => {
        const server = net.createServer(onConnection).listen(port, address);
        await once(server, 'listening');
        return server;
      },
    };
    try {
      listener = await listen(ctx, { address: ADDRESS, port: 0, respond: (bytes) => bytes, sockets });
      expect(asked).toEqual([0, 0]);
      expect(listener.port).not.toBe(takenPort);
      asked.length = 0;
      await expect(
        listen(ctx, { address: ADDRESS, port: takenPort, respond: (bytes) => bytes, sockets }),
      ).rejects.toMatchObject({ code: 'EADDRINUSE' });
      expect(asked).toEqual([takenPort]);
    } finally {
      taken.close();
    }
  });

  it('does not read further from a client that reads no answers', async () => {
    let asked = 0;
    const answer = Buffer.alloc(60_000);
    listener = await listen(ctx, { address: ADDRESS, port: 0, respond: () => (asked++, answer) });
    const socket = net.connect(listener.port, ADDRESS).on('error', () => {});
    await once(socket, 'connect');
    const queries = Buffer.concat(Array.from({ length: 2000 }, () => framed(Buffer.from('query'))));
    for (let i = 0; i < 20; i++) socket.write(queries);
    await expect.poll(() => asked).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 500));
    // 40,000 answers would be 2.4 GB. What is answered is what fits into the sockets' buffers.
    expect(asked).toBeLessThan(1000);
    socket.resume();
    await expect.poll(() => asked, { timeout: 15_000 }).toBeGreaterThan(2000);
    socket.destroy();
  });

  it('forwards a bounded number of queries of one connection at a time', async () => {
    let asked = 0;
    const waiting: (() => void)[] = [];
    listener = await listen(ctx, {
      address: ADDRESS,
      port: 0,
      respond: (bytes) => new Promise((resolve) => (asked++, waiting.push(() => resolve(bytes)))),
    });
    const socket = net.connect(listener.port, ADDRESS).on('error', () => {});
    let received = 0;
    socket.on('data', (bytes: Buffer) => (received += bytes.length));
    socket.write(Buffer.concat(Array.from({ length: 250 }, () => framed(Buffer.from('query')))));
    await expect.poll(() => asked).toBe(100);
    for (let answered = 0; answered < 250;) {
      await expect.poll(() => waiting.length).toBeGreaterThan(0);
      answered += waiting.length;
      for (const answer of waiting.splice(0)) answer();
    }
    await expect.poll(() => received).toBe(250 * 7);
    socket.destroy();
  });
});
