import dgram from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { startTestServer } from '../apiserver/testing/index.ts';
import { Client } from '../client/index.ts';
import { inProcessTransport } from '../cluster/in-process-transport.ts';
import { createContext } from '../kernel/index.ts';
import { decodeMessage, encodeMessage, RCODE, TYPE } from './message.ts';
import { DEFAULT_DNS_CONFIG, run } from './run.ts';
import { listen, type DnsListener } from './serve.ts';

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

async function startDns(forwarders: readonly string[] = []) {
  const server = await startTestServer();
  const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
  const stop = new AbortController();
  const log: string[] = [];
  const ctx = createContext({ signal: stop.signal, writeLog: (line) => void log.push(line) });
  const client = new Client({
    transport: inProcessTransport({ handle: server.pipeline.handle, user: admin, signal: stop.signal }),
    clock: ctx.clock,
    userAgent: 'test',
  });
  let running: Promise<void> | undefined;
  const [listener] = await new Promise<readonly DnsListener[]>((resolve, reject) => {
    running = run(ctx, {
      client,
      config: { ...DEFAULT_DNS_CONFIG, listen: [{ address: '127.0.0.1', port: 0 }], forwarders },
      onReady: resolve,
    });
    running.catch(reject);
  });
  endings.push(
    () => server.stop(),
    async () => {
      stop.abort(new Error('the test has ended'));
      await running;
    },
  );
  const resolver = new Resolver({ timeout: 30_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${listener!.port}`]);
  return { client, resolver, port: listener!.port, ctx, log };
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

function passOn(bytes: Buffer, port: number): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = dgram.createSocket('udp4');
    socket.on('message', (answer) => {
      socket.close();
      resolve(answer);
    });
    socket.send(bytes, port, '127.0.0.1');
  });
}

/** A server of other names, for one test. */
async function startOther(respond: (bytes: Buffer) => Buffer): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = [];
  const other = await listen(createContext({ writeLog: () => {} }), {
    address: '127.0.0.1',
    port: 0,
    respond: (bytes, transport) => {
      const query = decodeMessage(bytes);
      asked.push(`${transport} ${query.questions[0]!.name}`);
      if (transport === 'udp' && query.questions[0]!.name.startsWith('large'))
        return encodeMessage({ id: query.id, response: true, truncated: true, questions: query.questions });
      return respond(bytes);
    },
  });
  endings.push(() => other.close());
  return { address: `127.0.0.1:${other.port}`, asked };
}

describe('the DNS server over real sockets', () => {
  it('answers from the API server’s objects and follows them', async () => {
    const { client, resolver } = await startDns();
    await client.resource('v1/services').create({
      metadata: { name: 'db', namespace: 'default' },
      spec: { clusterIP: 'None', selector: { app: 'db' }, ports: [{ name: 'pg', port: 5432 }] },
    });
    const slices = client.resource('discovery.k8s.io/v1/endpointslices');
    const slice = {
      metadata: { name: 'db-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'db' } },
      addressType: 'IPv4',
      ports: [{ name: 'pg', port: 5432, protocol: 'TCP' }],
    };
    await slices.create({ ...slice, endpoints: [{ addresses: ['10.244.0.5'], hostname: 'db-0' }] });
    await expect.poll(() => resolver.resolve4('db.default.svc.cluster.local').catch(() => [])).toEqual(['10.244.0.5']);
    expect(await resolver.resolveSrv('_pg._tcp.db.default.svc.cluster.local')).toMatchObject([
      { name: 'db-0.db.default.svc.cluster.local', port: 5432 },
    ]);
    expect(await resolver.reverse('10.244.0.5')).toEqual(['db-0.db.default.svc.cluster.local']);
    const current = await slices.get({ name: 'db-1', namespace: 'default' });
    await slices.update({ ...current, endpoints: [{ addresses: ['10.244.0.6'] }] });
    await expect.poll(() => resolver.resolve4('db.default.svc.cluster.local').catch(() => [])).toEqual(['10.244.0.6']);
  });

  it('answers over TCP when a datagram is too small', async () => {
    const { client, resolver } = await startDns();
    await client.resource('v1/services').create({
      metadata: { name: 'many', namespace: 'default' },
      spec: { clusterIP: 'None', selector: { app: 'many' }, ports: [{ port: 80 }] },
    });
    await client.resource('discovery.k8s.io/v1/endpointslices').create({
      metadata: { name: 'many-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'many' } },
      addressType: 'IPv4',
      ports: [{ port: 80 }],
      endpoints: Array.from({ length: 200 }, (_, i) => ({ addresses: [`10.244.1.${i + 1}`] })),
    });
    await expect
      .poll(async () => (await resolver.resolve4('many.default.svc.cluster.local').catch(() => [])).length)
      .toBe(200);
  });

  it('forwards other names, retries truncated answers over TCP, and caches them', async () => {
    const other = await startOther((bytes) => {
      const { id, questions } = decodeMessage(bytes);
      return encodeMessage({
        id,
        response: true,
        recursionAvailable: true,
        questions,
        answers: [{ name: questions[0]!.name, ttl: 60, data: { type: 'A', address: '192.0.2.7' } }],
      });
    });
    const { client, resolver } = await startDns([other.address]);
    expect(await resolver.resolve4('example.org')).toEqual(['192.0.2.7']);
    expect(await resolver.resolve4('example.org', { ttl: true })).toMatchObject([{ address: '192.0.2.7' }]);
    expect(other.asked.filter((name) => name === 'udp example.org')).toHaveLength(1);
    expect(await resolver.resolve4('large.example.org')).toEqual(['192.0.2.7']);
    expect(other.asked).toContain('tcp large.example.org');
    await client.resource('v1/services').create({
      metadata: { name: 'out', namespace: 'default' },
      spec: { type: 'ExternalName', externalName: 'elsewhere.example' },
    });
    await expect.poll(() => resolver.resolve4('out.default.svc.cluster.local').catch(() => [])).toEqual(['192.0.2.7']);
  });

  it('follows the Corefile of the ConfigMap kube-system/coredns', async () => {
    const serverOf = (address: string): Promise<{ address: string }> =>
      startOther((bytes) => {
        const { id, questions } = decodeMessage(bytes);
        const answers = [{ name: questions[0]!.name, ttl: 60, data: { type: 'A' as const, address } }];
        return encodeMessage({ id, response: true, questions, answers });
      });
    const [machine, stub, root] = await Promise.all(['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(serverOf));
    const { client, resolver } = await startDns([machine!.address]);
    const ask = (name: string): Promise<string | string[]> =>
      resolver.resolve4(name).catch((error: Error & { code: string }) => error.code);
    expect([await ask('a.corp.example'), await ask('b.example')]).toEqual([['192.0.2.1'], ['192.0.2.1']]);

    const configMaps = client.resource('v1/configmaps');
    const metadata = { name: 'coredns', namespace: 'kube-system' };
    const corefile = (more: string): { Corefile: string } => ({
      Corefile: `
        .:53 {
          kubernetes cluster.local in-addr.arpa ip6.arpa
          forward . ${root!.address}
          ${more}
        }
        corp.example:53 {
          forward . ${stub!.address}
        }`,
    });
    await configMaps.create({ metadata, data: corefile('') });
    await expect.poll(() => ask('a.corp.example')).toEqual(['192.0.2.2']);
    expect([await ask('corp.example'), await ask('b.example'), await ask('notcorp.example')]).toEqual([
      ['192.0.2.2'],
      ['192.0.2.3'],
      ['192.0.2.3'],
    ]);
    expect(await ask('kubernetes.default.svc.cluster.local')).toEqual(['10.96.0.1']);
    await client.resource('v1/services').create({
      metadata: { name: 'out', namespace: 'default' },
      spec: { type: 'ExternalName', externalName: 'a.corp.example' },
    });
    await expect.poll(() => ask('out.default.svc.cluster.local')).toEqual(['192.0.2.2']);

    await configMaps.patch(metadata, { data: corefile('rewrite name a b') }, { type: 'merge' });
    await configMaps.patch(
      metadata,
      { data: { Corefile: 'only.example {\n forward . 127.0.0.1:1\n}' } },
      { type: 'merge' },
    );
    await expect.poll(() => ask('b.example')).toEqual('EREFUSED');
    expect(await ask('kubernetes.default.svc.cluster.local')).toEqual('EREFUSED');

    await configMaps.delete(metadata);
    await expect.poll(() => ask('a.corp.example')).toEqual(['192.0.2.1']);
    expect(await ask('kubernetes.default.svc.cluster.local')).toEqual(['10.96.0.1']);
  });

  it('stays as it is when it cannot follow a Corefile, and says why', async () => {
    const { client, resolver, log } = await startDns();
    await client.resource('v1/configmaps').create({
      metadata: { name: 'coredns', namespace: 'kube-system' },
      data: { Corefile: '.:53 {\n  rewrite name a b\n}\n' },
    });
    await expect.poll(() => log.join('\n')).toContain('line 2: plugin \\"rewrite\\" is not supported');
    expect(await resolver.resolve4('kubernetes.default.svc.cluster.local')).toEqual(['10.96.0.1']);
  });

  it('refuses other names without forwarders, and after noticing that a forwarder leads back', async () => {
    const { resolver } = await startDns();
    await expect(resolver.resolve4('example.org')).rejects.toMatchObject({ code: 'EREFUSED' });
    const { promise: loopedPort, resolve: knowPort } = withResolvers<number>();
    const other = await listen(createContext({ writeLog: () => {} }), {
      address: '127.0.0.1',
      port: 0,
      respond: async (bytes) => passOn(bytes, await loopedPort),
    });
    endings.push(() => other.close());
    const looped = await startDns([`127.0.0.1:${other.port}`]);
    knowPort(looped.port);
    await expect
      .poll(() => looped.resolver.resolve4('example.org').catch((error: Error & { code: string }) => error.code))
      .toBe('EREFUSED');
  });

  it('answers malformed, foreign and unknown queries with an error code, and ignores responses', async () => {
    const { port } = await startDns();
    const socket = dgram.createSocket('udp4');
    endings.push(async () => socket.close());
    const received: Buffer[] = [];
    socket.on('message', (bytes) => received.push(bytes));
    const ask = async (bytes: Buffer): Promise<number | undefined> => {
      received.length = 0;
      socket.send(bytes, port, '127.0.0.1');
      await expect.poll(() => received.length).toBe(1);
      return decodeMessage(received[0]!).rcode;
    };
    expect(await ask(Buffer.from('000100000001000000000000c00c', 'hex'))).toBe(RCODE.FORMERR);
    expect(await ask(encodeMessage({ id: 1, opcode: 4, questions: [] }))).toBe(RCODE.NOTIMP);
    expect(await ask(encodeMessage({ id: 1, questions: [] }))).toBe(RCODE.FORMERR);
    expect(await ask(encodeMessage({ id: 1, questions: [{ name: 'cluster.local', type: TYPE.TXT, class: 3 }] }))).toBe(
      RCODE.REFUSED,
    );
    socket.send(encodeMessage({ id: 2, response: true, questions: [] }), port, '127.0.0.1');
    expect(await ask(encodeMessage({ id: 3, questions: [{ name: 'cluster.local', type: TYPE.SOA, class: 1 }] }))).toBe(
      RCODE.NOERROR,
    );
    expect(decodeMessage(received[0]!).id).toBe(3);
  });
});
