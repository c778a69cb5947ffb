import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createEtcdStore,
  createMemoryStore,
  type EtcdFront,
  openEmbeddedStore,
  type Store,
  serveEtcd,
} from '../src/etcd/index.ts';
import { createContext, RealClock, silentLogger } from '../src/kernel/index.ts';
import { type EtcdCluster, startEtcd } from './etcd-process.ts';
import { requires } from './requires.ts';

const clock = new RealClock();
const ctx = createContext({ logger: silentLogger });

interface Answer {
  code: number;
  details: string;
}

/** Sends bytes as they are; the answer's status. */
function send(client: Client, path: string, bytes: Buffer): Promise<Answer> {
  const same = (value: Buffer): Buffer => value;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, same, same, bytes, (error: ServiceError | null) =>
      resolve({ code: error?.code ?? 0, details: error?.details ?? '' }),
    );
  });
}

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const field = (number: number, bytes: Buffer): Buffer => {
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), bytes]);
};
const put = Buffer.concat([field(1, Buffer.from('k')), field(2, Buffer.from('v'))]);
const putOp = field(2, put);

const badRequests: { name: string; path: string; bytes: Buffer }[] = [
  { name: 'a put without a key', path: '/etcdserverpb.KV/Put', bytes: hex('') },
  { name: 'a range without a key', path: '/etcdserverpb.KV/Range', bytes: hex('') },
  { name: 'a deletion without a key', path: '/etcdserverpb.KV/DeleteRange', bytes: hex('') },
  { name: 'a range at a future revision', path: '/etcdserverpb.KV/Range', bytes: hex('0a016b 20ffffff7f') },
  { name: 'a truncated field', path: '/etcdserverpb.KV/Put', bytes: hex('0a05 6b') },
  { name: 'a truncated varint', path: '/etcdserverpb.KV/Range', bytes: hex('0a016b 18ff') },
  { name: 'a field of the wrong type', path: '/etcdserverpb.KV/Put', bytes: hex('0801') },
  { name: 'an illegal field number', path: '/etcdserverpb.KV/Put', bytes: hex('0001') },
  {
    name: 'a value of 2 MB',
    path: '/etcdserverpb.KV/Put',
    bytes: Buffer.concat([field(1, Buffer.from('k')), field(2, Buffer.alloc(1_800_000))]),
  },
  {
    name: 'a message of 3 MB',
    path: '/etcdserverpb.KV/Put',
    bytes: Buffer.concat([field(1, Buffer.from('k')), field(2, Buffer.alloc(3_000_000))]),
  },
  {
    name: 'a transaction with a key put twice',
    path: '/etcdserverpb.KV/Txn',
    bytes: Buffer.concat([field(2, putOp), field(2, putOp)]),
  },
  {
    name: 'a transaction with 129 operations',
    path: '/etcdserverpb.KV/Txn',
    bytes: Buffer.concat(Array.from({ length: 129 }, () => field(2, putOp))),
  },
  { name: 'a transaction with an empty operation', path: '/etcdserverpb.KV/Txn', bytes: field(2, hex('')) },
  { name: 'a comparison without a key', path: '/etcdserverpb.KV/Txn', bytes: field(1, hex('1001')) },
  {
    name: 'a put with a value and ignore_value',
    path: '/etcdserverpb.KV/Put',
    bytes: Buffer.concat([put, hex('2801')]),
  },
  { name: 'a put with an unknown lease', path: '/etcdserverpb.KV/Put', bytes: Buffer.concat([put, hex('18b960')]) },
  { name: 'a compaction of the future', path: '/etcdserverpb.KV/Compact', bytes: hex('08ffffff7f') },
  { name: 'a lease that is too long', path: '/etcdserverpb.Lease/LeaseGrant', bytes: hex('0880a8c4ffffffff7f') },
  { name: 'the end of an unknown lease', path: '/etcdserverpb.Lease/LeaseRevoke', bytes: hex('08b960') },
  { name: 'an unknown method', path: '/etcdserverpb.KV/Frob', bytes: hex('') },
  { name: 'an unknown service', path: '/etcdserverpb.Nothing/Get', bytes: hex('') },
  { name: 'a login', path: '/etcdserverpb.Auth/Authenticate', bytes: hex('') },
];

const noEtcd = requires('etcd');

describe.skipIf(noEtcd !== undefined)(`bad requests${noEtcd === undefined ? '' : ` (skipped: ${noEtcd})`}`, () => {
  let etcd: EtcdCluster;
  let front: EtcdFront;
  let clients: { theirs: Client; ours: Client };

  beforeAll(async () => {
    etcd = await startEtcd();
    front = await serveEtcd(ctx, { store: createMemoryStore({ clock }), listenClientUrls: ['http://127.0.0.1:0'] });
    const client = (url: string): Client => new Client(url.slice('http://'.length), credentials.createInsecure());
    clients = { theirs: client(etcd.endpoints[0]!), ours: client(front.urls[0]!) };
  });
  afterAll(async () => {
    clients.theirs.close();
    clients.ours.close();
    await front.close();
    await etcd.close();
  });

  it.each(badRequests)('$name is answered as etcd answers it', async ({ path, bytes }) => {
    const theirs = await send(clients.theirs, path, bytes);
    expect(theirs.code).not.toBe(0);
    expect(await send(clients.ours, path, bytes)).toEqual(theirs);
  });

  // etcd 3.5 takes the first and dies of the second; later releases refuse both in these words.
  it.each([
    { name: 'an unknown sort order', bytes: hex('0a016b 2807') },
    { name: 'an unknown sort target', bytes: hex('0a016b 3009') },
  ])('$name is refused', async ({ bytes }) => {
    expect(await send(clients.ours, '/etcdserverpb.KV/Range', bytes)).toEqual({
      code: 3,
      details: 'etcdserver: invalid sort option',
    });
  });
});

const noEtcdctl = requires('etcdctl', 'openssl');

describe.skipIf(noEtcdctl !== undefined)(`etcdctl${noEtcdctl === undefined ? '' : ` (skipped: ${noEtcdctl})`}`, () => {
  let directory = '';
  const execute = promisify(execFile);
  let store: Store;
  let front: EtcdFront;
  let secure: EtcdFront;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'k8ts-etcdctl-'));
    store = await openEmbeddedStore({ directory: join(directory, 'data'), clock });
    front = await serveEtcd(ctx, { store, listenClientUrls: ['http://127.0.0.1:0'] });
    const { readFileSync } = await import('node:fs');
    const run = (...args: string[]) => execute('openssl', args, { cwd: directory });
    await run(
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      'ca.key',
      '-out',
      'ca.crt',
      '-subj',
      '/CN=test',
      '-days',
      '2',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    );
    const cert = readFileSync(join(directory, 'ca.crt'));
    const tls = { cert, key: readFileSync(join(directory, 'ca.key')), clientCa: cert, requireClientCertificate: true };
    secure = await serveEtcd(ctx, { store, listenClientUrls: ['https://127.0.0.1:0'], tls });
  });
  afterAll(async () => {
    await front.close();
    await secure.close();
    await store.close();
    rmSync(directory, { recursive: true });
  });

  const etcdctl = async (args: string[], input = ''): Promise<string> => {
    const running = execute('etcdctl', args, { env: { ...process.env, ETCDCTL_ENDPOINTS: front.urls[0]! } });
    running.child.stdin?.end(input);
    return (await running).stdout;
  };

  it('puts, gets and deletes', async () => {
    expect(await etcdctl(['put', 'a', '1'])).toBe('OK\n');
    expect(await etcdctl(['put', 'a', '2', '--prev-kv'])).toBe('OK\na\n1\n');
    expect(await etcdctl(['get', 'a'])).toBe('a\n2\n');
    const json = JSON.parse(await etcdctl(['get', 'a', '-w', 'json'])) as { kvs: unknown[]; count: number };
    expect(json).toMatchObject({ count: 1, kvs: [{ key: 'YQ==', value: 'Mg==', version: 2 }] });
    expect(await etcdctl(['get', 'a', '--rev=2'])).toBe('a\n1\n');
    expect(await etcdctl(['del', 'a'])).toBe('1\n');
  });

  it('watches', async () => {
    const { revision } = await store.status();
    await etcdctl(['put', 'w1', 'x']);
    await etcdctl(['del', 'w1']);
    const watching = spawn('etcdctl', ['watch', '--prefix', 'w', `--rev=${revision + 1}`], {
      env: { ...process.env, ETCDCTL_ENDPOINTS: front.urls[0]! },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    watching.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    try {
      await expect.poll(() => output).toBe('PUT\nw1\nx\nDELETE\nw1\n\n');
    } finally {
      watching.kill();
    }
  });

  it('runs transactions', async () => {
    await etcdctl(['put', 't', '1']);
    const output = await etcdctl(['txn'], 'value("t") = "1"\n\nput t 2\nget t\n\nput t 3\n\n');
    expect(output.split('\n').filter(Boolean)).toEqual(['SUCCESS', 'OK', 't', '2']);
  });

  it('grants, renews and revokes leases', async () => {
    const id = /lease (\w+) granted with TTL\(60s\)/.exec(await etcdctl(['lease', 'grant', '60']))![1]!;
    await etcdctl(['put', 'leased', 'x', `--lease=${id}`]);
    expect(await etcdctl(['lease', 'timetolive', id, '--keys'])).toMatch(
      /TTL\(60s\), remaining\(\d+s\), attached keys\(\[leased\]\)/,
    );
    expect(await etcdctl(['lease', 'keep-alive', '--once', id])).toContain('keepalived with TTL(60)');
    expect(await etcdctl(['lease', 'list'])).toContain(id);
    expect(await etcdctl(['lease', 'revoke', id])).toContain('revoked');
    expect(await etcdctl(['get', 'leased'])).toBe('');
  });

  // etcdctl 3.4 sends a whole URL as the authority of the calls that it makes to one endpoint.
  it('compacts, defragments and saves a snapshot', async () => {
    const revision = await store.revision();
    expect(await etcdctl(['compaction', '--physical', String(revision)])).toBe(`compacted revision ${revision}\n`);
    expect(await etcdctl(['defrag'])).toContain('Finished defragmenting');
    expect(await etcdctl(['snapshot', 'save', join(directory, 'snapshot.db')])).toContain('Snapshot saved');
    const { snapshotStatus } = await import('../src/etcd/index.ts');
    expect((await snapshotStatus(join(directory, 'snapshot.db'))).revision).toBe(revision);
  });

  it('shows status, health, members and alarms', async () => {
    expect(await etcdctl(['endpoint', 'status', '-w', 'table'])).toMatch(/ENDPOINT.*VERSION.*DB SIZE/);
    expect(JSON.parse(await etcdctl(['endpoint', 'status', '-w', 'json']))).toHaveLength(1);
    expect(JSON.parse(await etcdctl(['endpoint', 'health', '-w', 'json']))).toMatchObject([{ health: true }]);
    expect(await etcdctl(['member', 'list', '-w', 'table'])).toContain(front.urls[0]!);
    expect(JSON.parse(await etcdctl(['member', 'list', '-w', 'json']))).toMatchObject({
      members: [{ name: 'default' }],
    });
    expect(await etcdctl(['alarm', 'list'])).toBe('');
  });

  it('gets an error that names missing users', async () => {
    await expect(etcdctl(['user', 'add', 'root:x'])).rejects.toThrow('no users and roles');
  });

  it('needs a client certificate where one is required', async () => {
    const args = [`--endpoints=${secure.urls[0]}`, `--cacert=${join(directory, 'ca.crt')}`];
    const limited = (limit: string): string[] => [`--dial-timeout=${limit}`, `--command-timeout=${limit}`];
    await expect(execute('etcdctl', [...args, ...limited('2s'), 'get', 'a'])).rejects.toThrow();
    const own = [
      ...args,
      ...limited('60s'),
      `--cert=${join(directory, 'ca.crt')}`,
      `--key=${join(directory, 'ca.key')}`,
    ];
    expect((await execute('etcdctl', [...own, 'put', 'tls', 'yes'])).stdout).toBe('OK\n');

    const { readFileSync } = await import('node:fs');
    const ca = readFileSync(join(directory, 'ca.crt'));
    const client = createEtcdStore({
      endpoints: secure.urls,
      tls: { ca, cert: ca, key: readFileSync(join(directory, 'ca.key')) },
      clock,
    });
    expect((await client.range({ key: 'tls' })).count).toBe(1);
    await client.close();
    const stranger = createEtcdStore({
      endpoints: secure.urls,
      tls: { ca },
      clock,
      requestTimeoutMs: 500,
      retryForMs: 500,
    });
    await expect(stranger.range({ key: 'tls' })).rejects.toMatchObject({
      code: expect.stringMatching(/unavailable|timeout/) as string,
    });
    await stranger.close();
  });
});
