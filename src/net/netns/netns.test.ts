import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  addAddress,
  addBridge,
  addNeighbour,
  addRoute,
  addVeth,
  connectIn,
  datagramIn,
  deleteLink,
  deleteNetns,
  deleteRoute,
  findLink,
  inNetns,
  isNetns,
  listAddresses,
  listenIn,
  listLinks,
  listNeighbours,
  listRoutes,
  NetlinkSocket,
  openNetns,
  readSysctl,
  runIn,
  setLink,
  writeSysctl,
} from './index.ts';
import { namespacesMissing, TestNamespaces } from './testing/index.ts';

const missing = namespacesMissing('ip');
const ownNamespace = (): string => fs.readlinkSync('/proc/thread-self/ns/net');

describe.skipIf(missing !== undefined)(`network namespaces${missing === undefined ? '' : ` (${missing})`}`, () => {
  let namespaces: TestNamespaces;
  beforeEach(() => void (namespaces = new TestNamespaces()));
  afterEach(() => namespaces.close());

  test('the thread is inside for the length of the call, and back after an error too', () => {
    const home = ownNamespace();
    const netns = namespaces.create('a');
    expect(inNetns(netns, ownNamespace)).not.toBe(home);
    expect(() =>
      inNetns(netns, () => {
        throw new Error('inside');
      }),
    ).toThrow('inside');
    expect(ownNamespace()).toBe(home);
  });

  test('visits may be nested', () => {
    const home = ownNamespace();
    const [a, b] = [namespaces.create('a'), namespaces.create('b')];
    inNetns(a, () => {
      const outer = ownNamespace();
      expect(inNetns(b, ownNamespace)).not.toBe(outer);
      expect(ownNamespace()).toBe(outer);
    });
    expect(ownNamespace()).toBe(home);
  });

  test('a file without a mounted namespace is reported', () => {
    const netns = namespaces.create('a');
    expect(isNetns(netns)).toBe(true);
    deleteNetns(netns);
    expect(fs.existsSync(netns)).toBe(false);
    fs.writeFileSync(netns, '');
    expect(isNetns(netns)).toBe(false);
    expect(() => inNetns(netns, () => {})).toThrow('no namespace is mounted on it');
    expect(() => inNetns(`${netns}-not`, () => {})).toThrow('there is no network namespace at');
  });

  test('sysctls belong to the namespace', () => {
    const netns = namespaces.create('a');
    const before = readSysctl(undefined, 'net.ipv4.ip_default_ttl');
    writeSysctl(netns, 'net.ipv4.ip_default_ttl', 77);
    expect(readSysctl(netns, 'net.ipv4.ip_default_ttl')).toBe('77');
    expect(readSysctl(undefined, 'net.ipv4.ip_default_ttl')).toBe(before);
    expect(readSysctl(netns, 'net.no.such')).toBeUndefined();
    expect(() => writeSysctl(netns, 'kernel.hostname', 'x')).toThrow('not a sysctl of a network namespace');
    expect(() => writeSysctl(netns, 'net/../kernel/hostname', 'x')).toThrow('not a sysctl of a network namespace');
  });

  test('programs start inside, and errors have their output', async () => {
    const netns = namespaces.create('a');
    expect(await runIn('readlink', ['/proc/self/ns/net'], { netns })).toContain(inNetns(netns, ownNamespace));
    expect(await runIn('cat', [], { netns, input: 'fed' })).toBe('fed');
    await expect(runIn('ip', ['link', 'show', 'nope'], { netns })).rejects.toThrow(
      /^ip link show nope failed \(exit code 1\): .*nope/,
    );
    await expect(runIn('no-such-program', [])).rejects.toThrow('the program "no-such-program" is not installed');
  });

  describe('two namespaces and a cable', () => {
    let left: string;
    let right: string;
    let sockets: NetlinkSocket[];

    beforeEach(async () => {
      [left, right] = [namespaces.create('left'), namespaces.create('right')];
      sockets = [new NetlinkSocket(left), new NetlinkSocket(right)];
      const target = openNetns(right);
      try {
        await sockets[0]!.send([
          setLink({ name: 'lo', up: true }),
          addVeth({ name: 'cable', mtu: 1400 }, { name: 'eth0', netnsFd: target, mac: '02:00:00:00:00:22', mtu: 1400 }),
          setLink({ name: 'cable', up: true, alias: 'to the right' }),
        ]);
      } finally {
        fs.closeSync(target);
      }
      const [one, other] = [(await findLink(sockets[0]!, 'cable'))!, (await findLink(sockets[1]!, 'eth0'))!];
      await sockets[0]!.send([addAddress(one.index, '10.9.0.1/24'), addAddress(one.index, 'fd09::1/64')]);
      await sockets[1]!.send([
        setLink({ index: other.index, up: true }),
        addAddress(other.index, '10.9.0.2/24'),
        addAddress(other.index, 'fd09::2/64'),
      ]);
    });
    afterEach(() => sockets.forEach((socket) => socket.close()));

    test('created objects are listed by the kernel', async () => {
      const [node] = sockets as [NetlinkSocket, NetlinkSocket];
      const cable = (await findLink(node, 'cable'))!;
      expect(cable).toMatchObject({ name: 'cable', up: true, kind: 'veth', alias: 'to the right', mtu: 1400 });
      expect(await findLink(node, 'nothing')).toBeUndefined();
      await node.send([
        addBridge({ name: 'bridge', mac: '02:00:00:00:00:33', up: true }),
        addRoute({ destination: '10.8.0.0/16', type: 'blackhole', metric: 7 }),
        addRoute({ destination: 'default', gateway: '10.9.0.2' }),
        addRoute({ destination: 'fd08::/64', gateway: 'fd09::2' }),
        addNeighbour({ index: cable.index, address: '10.9.0.7', mac: '02:00:00:00:00:07' }),
      ]);
      expect((await listLinks(node)).find(({ name }) => name === 'bridge')).toMatchObject({
        kind: 'bridge',
        mac: '02:00:00:00:00:33',
      });
      const routes = (await listRoutes(node)).map(({ destination, type, gateway, metric }) =>
        [type, destination, gateway, metric].join(' '),
      );
      expect(routes).toEqual(
        expect.arrayContaining([
          'blackhole 10.8.0.0/16  7',
          'unicast default 10.9.0.2 ',
          'unicast fd08::/64 fd09::2 1024',
        ]),
      );
      expect(await listAddresses(node)).toContainEqual({ index: cable.index, address: 'fd09::1', length: 64 });
      expect(await listNeighbours(node)).toContainEqual({ index: cable.index, address: '10.9.0.7', permanent: true });
      await node.send([
        deleteRoute({ destination: '10.8.0.0/16', type: 'blackhole' }),
        deleteRoute({ destination: '10.8.0.0/16', type: 'blackhole' }),
      ]);
      expect((await listRoutes(node)).some(({ destination }) => destination === '10.8.0.0/16')).toBe(false);
    });

    test('an error names the operation, and the other requests are still done', async () => {
      const [node] = sockets as [NetlinkSocket, NetlinkSocket];
      await expect(node.send([addBridge({ name: 'cable' }), addBridge({ name: 'other' })])).rejects.toThrow(
        'cannot add the bridge cable: exists already (EEXIST)',
      );
      expect(await findLink(node, 'other')).toBeDefined();
      await expect(node.send([addRoute({ destination: '10.1.0.0/16', gateway: '1.2.3.4' })])).rejects.toThrow(
        /cannot add the route 10\.1\.0\.0\/16 via 1\.2\.3\.4: .*invalid gateway/,
      );
      await node.send([deleteLink({ name: 'not-there' })]);
    });

    test.each(['10.9.0.2', 'fd09::2'])('a server and a client of this process meet at %s', async (host) => {
      const server = net.createServer((socket) => socket.end(`hello ${socket.remoteAddress}`));
      await listenIn(server, { netns: right, host, port: 0 });
      const { port } = server.address() as net.AddressInfo;
      const client = connectIn({ netns: left, host, port });
      const [answer] = (await once(client, 'data')) as [Buffer];
      expect(String(answer)).toBe(`hello ${host.replace(/2$/, '1')}`);
      client.destroy();
      await expect(once(connectIn({ netns: undefined, host: '127.0.0.1', port }), 'connect')).rejects.toThrow(
        'ECONNREFUSED',
      );
      await expect(once(connectIn({ netns: left, host, port: 9 }), 'connect')).rejects.toThrow('ECONNREFUSED');
      server.close();
      await once(server, 'close');
    });

    test('a port in use and a foreign address are errors; the latter is possible with free bind', async () => {
      const server = net.createServer();
      await listenIn(server, { netns: right, host: '10.9.0.2', port: 80 });
      await expect(async () =>
        listenIn(net.createServer(), { netns: right, host: '10.9.0.2', port: 80 }),
      ).rejects.toMatchObject({ code: 'EADDRINUSE', address: '10.9.0.2', port: 80 });
      await expect(async () =>
        listenIn(net.createServer(), { netns: right, host: '10.77.0.1', port: 80 }),
      ).rejects.toThrow('EADDRNOTAVAIL');
      const free = net.createServer();
      await listenIn(free, { netns: right, host: '10.77.0.1', port: 80, freeBind: true });
      for (const each of [server, free]) each.close();
    });

    test('datagrams', async () => {
      const receiver = await datagramIn({ netns: right, host: '10.9.0.2', port: 0 });
      const sender = await datagramIn({ netns: left, host: '10.9.0.1', port: 0 });
      const received = once(receiver, 'message');
      sender.send('ping', receiver.address().port, '10.9.0.2');
      expect(String((await received)[0])).toBe('ping');
      receiver.close();
      sender.close();
    });
  });
});
