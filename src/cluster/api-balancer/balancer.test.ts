import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createAuthority } from '../../apiserver/pki/certificates.ts';
import { createContext } from '../../kernel/index.ts';
import { until } from '../../kernel/testing/index.ts';
import { startApiBalancer, type ApiBalancer } from './balancer.ts';

const { certificate: CA } = await createAuthority(createContext(), 'test');

/** Servers that say their name; as TLS is not theirs, health checks find them ill, as when all are. */
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function server(name: string): Promise<{ url: string; close(): Promise<void>; connections: Set<net.Socket> }> {
  const connections = new Set<net.Socket>();
  const listener = net.createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => undefined).on('close', () => connections.delete(socket));
    socket.resume().write(name);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const close = async (): Promise<void> => {
    for (const socket of connections) socket.destroy();
    await new Promise((resolve) => listener.close(resolve));
  };
  const started = { url: `https://127.0.0.1:${(listener.address() as net.AddressInfo).port}`, close, connections };
  open.push(started);
  return started;
}

async function balancerOf(servers: readonly string[]): Promise<ApiBalancer> {
  const balancer = await startApiBalancer(createContext({ writeLog: () => undefined }), {
    servers,
    ca: CA,
    machine: 'a',
    preferredPort: 0,
  });
  open.unshift(balancer);
  return balancer;
}

async function ask({ url }: ApiBalancer): Promise<{ text: string; socket: net.Socket }> {
  const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  const [text] = (await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => ['closed'])])) as [
    unknown,
  ];
  return { text: String(text), socket };
}

describe('the balancer of API servers', () => {
  it('listens on loopback alone, and leads to a server', async () => {
    const balancer = await balancerOf([(await server('one')).url]);
    expect(balancer.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const { text, socket } = await ask(balancer);
    expect(text).toBe('one');
    socket.destroy();
  });

  it('tries the next server when one refuses, and closes the client when none is left', async () => {
    const [one, two] = [await server('one'), await server('two')];
    const balancer = await balancerOf([one.url, two.url]);
    const first = await ask(balancer);
    first.socket.destroy();
    await (first.text === 'one' ? one : two).close();
    const second = await ask(balancer);
    expect(second.text).toBe(first.text === 'one' ? 'two' : 'one');
    second.socket.destroy();
    await (first.text === 'one' ? two : one).close();
    expect((await ask(balancer)).text).toBe('closed');
  });

  it('closes connections to a server that is gone from the list, and ends both sides with either', async () => {
    const [one, two] = [await server('one'), await server('two')];
    const balancer = await balancerOf([one.url]);
    const { text, socket } = await ask(balancer);
    expect(text).toBe('one');
    balancer.update([two.url]);
    await once(socket, 'close');
    await until('the server sees it', () => one.connections.size === 0, { limitMs: 10_000 });
    const again = await ask(balancer);
    expect(again.text).toBe('two');
    again.socket.destroy();
    // The one that is left asks for its health.
    await until('the other server sees it', () => two.connections.size <= 1, { limitMs: 10_000 });
    expect(balancer.servers).toEqual([two.url]);
  });

  it('does not believe that there are no servers', async () => {
    const one = await server('one');
    const balancer = await balancerOf([one.url]);
    balancer.update([]);
    expect(balancer.servers).toEqual([one.url]);
  });
});
