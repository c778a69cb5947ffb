import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { bridgeLoopback, loopbackPort } from './bridge-loopback.ts';

test.each([
  ['http://127.0.0.1:2379', 2379],
  ['https://localhost:2379', 2379],
  ['127.0.0.1:2379', 2379],
  ['https://localhost', 443],
  ['http://etcd.example:2379', undefined],
  ['https://192.0.2.1:2379', undefined],
])('the port of %s is %s', (url, port) => {
  expect(loopbackPort(url)).toBe(port);
});

test("a port of the user's loopback answers inside, until the end", async () => {
  const outside = net.createServer((socket) => socket.end('outside')).listen(0, '127.0.0.1');
  await once(outside, 'listening');
  const { port } = outside.address() as net.AddressInfo;
  const free = net.createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const inside = (free.address() as net.AddressInfo).port;
  free.close();
  await once(free, 'close');
  const asked: object[] = [];
  const stop = new AbortController();
  const network = {
    listen: () => Promise.reject(new Error('nobody listens')),
    connect: async (address: object) => {
      asked.push(address);
      const socket = net.connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    },
  };
  await bridgeLoopback(network, [`http://127.0.0.1:${inside}`, 'http://192.0.2.1:1'], stop.signal);
  expect(await text(net.connect(inside, '127.0.0.1'))).toBe('outside');
  expect(asked).toEqual([{ host: '127.0.0.1', port: inside }]);
  stop.abort();
  await expect
    .poll(async () => {
      const socket = net.connect(inside, '127.0.0.1');
      return once(socket, 'connect').then(
        () => 'connected',
        (error: NodeJS.ErrnoException) => error.code,
      );
    })
    .toBe('ECONNREFUSED');
  outside.close();
});
