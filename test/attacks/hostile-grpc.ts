/** Calls of etcd's API as nobody should make them: messages that are none, methods that are not, frames that lie. */
import { gzipSync } from 'node:zlib';
import {
  CompactionRequest,
  DeleteRangeRequest,
  HashKvRequest,
  LeaseGrantRequest,
  LeaseId,
  LeaseTimeToLiveRequest,
  PutRequest,
  RangeRequest,
  TxnRequest,
  WatchRequest,
} from '../../src/etcd/wire/messages.ts';
import type { Random } from '../../src/kernel/index.ts';

export interface HostileCall {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: readonly Buffer[];
  /** Whether the client ends its side. */
  readonly ends: boolean;
}

const pick = <T>(random: Random, from: readonly T[]): T => from[random.integer(from.length)]!;

const METHODS = [
  'KV/Range',
  'KV/Put',
  'KV/DeleteRange',
  'KV/Txn',
  'KV/Txn',
  'KV/Compact',
  'Watch/Watch',
  'Watch/Watch',
  'Lease/LeaseGrant',
  'Lease/LeaseRevoke',
  'Lease/LeaseKeepAlive',
  'Lease/LeaseTimeToLive',
  'Lease/LeaseLeases',
  'Maintenance/Status',
  'Maintenance/Alarm',
  'Maintenance/Hash',
  'Maintenance/HashKV',
  'Maintenance/Snapshot',
  'Maintenance/MoveLeader',
  'Maintenance/Downgrade',
  'Cluster/MemberList',
  'Cluster/MemberAdd',
  'Auth/AuthEnable',
  'Auth/Authenticate',
  'Auth/UserAdd',
];
const ODD_PATHS = [
  '/',
  '//',
  '/etcdserverpb.KV',
  '/etcdserverpb.KV/',
  '/etcdserverpb.KV/constructor',
  '/__proto__/toString',
  '/etcdserverpb.Nothing/Range',
  '/etcdserverpb.KV/Range/',
  '/etcdserverpb.KV/range',
  `/${'x'.repeat(5000)}/y`,
];
const LARGEST_CALL = 2 * 1024 * 1024;
/** Thirty megabytes of nothing, in thirty kilobytes. */
const BOMB = gzipSync(Buffer.alloc(30 * 1024 * 1024));
const KEYS = ['', '\0', 'a', 'hostile/a', 'hostile/b', 'hostile/', '/registry/', '\xff\xff', 'k'.repeat(5000)];
const NUMBERS = [0, 1, -1, 2, 1000, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53), 9_000_000_001];
const IDS = [0n, 1n, -1n, 7n, 2n ** 62n, -(2n ** 63n)];

const key = (random: Random): string => pick(random, KEYS);
const number = (random: Random): number => pick(random, NUMBERS);

function range(random: Random): object {
  return {
    key: key(random),
    rangeEnd: pick(random, ['', '\0', 'z', 'a', 'hostile0']),
    limit: number(random),
    revision: random.next() < 0.6 ? 0 : number(random),
    sortOrder: random.integer(4),
    sortTarget: random.integer(6),
    keysOnly: random.next() < 0.3,
    countOnly: random.next() < 0.3,
    minModRevision: random.next() < 0.1 ? number(random) : 0,
  };
}

function put(random: Random): object {
  const large = random.next() < 0.03 ? 1_700_000 : 3000;
  return {
    key: random.next() < 0.5 ? `hostile/${random.integer(50)}` : key(random),
    value: Buffer.alloc(random.integer(large), 7),
    lease: random.next() < 0.8 ? 0n : pick(random, IDS),
    prevKv: random.next() < 0.3,
    ignoreValue: random.next() < 0.1,
    ignoreLease: random.next() < 0.1,
  };
}

/** Never more than the hostile keys. */
const remove = (random: Random): object => ({
  key: pick(random, ['hostile/a', 'hostile/1', '', 'z']),
  rangeEnd: pick(random, ['', 'hostile/3', '\0\0']),
  prevKv: random.next() < 0.5,
});

function txn(random: Random, depth = 0): object {
  const operations = (): object[] =>
    Array.from({ length: random.next() < 0.05 ? random.integer(200) : random.integer(4) }, () =>
      pick<() => object>(random, [
        () => ({ range: range(random) }),
        () => ({ put: put(random) }),
        () => ({ deleteRange: remove(random) }),
        () => ({}),
        () => (depth < 4 ? { txn: txn(random, depth + 1) } : {}),
      ])(),
    );
  const compare = Array.from({ length: random.integer(3) }, () => ({
    result: random.integer(5),
    target: random.integer(6),
    key: key(random),
    version: number(random),
    modRevision: number(random),
    createRevision: number(random),
    value: Buffer.from('v'),
    rangeEnd: pick(random, ['', 'z']),
  }));
  return { compare, success: operations(), failure: operations() };
}

/** Transactions in transactions, as deep as a message can be. */
function deepTxn(depth: number): Buffer {
  let inner: Buffer = Buffer.alloc(0);
  for (let i = 0; i < depth; i++) inner = delimited(2, delimited(4, inner));
  return inner;
}

function delimited(field: number, content: Buffer): Buffer {
  const length: number[] = [];
  let left = content.length;
  for (; left >= 128; left = Math.floor(left / 128)) length.push((left % 128) | 128);
  return Buffer.concat([Buffer.from([field * 8 + 2, ...length, left]), content]);
}

function messageFor(random: Random, method: string): Buffer {
  switch (method) {
    case 'KV/Range':
      return RangeRequest.encode(range(random));
    case 'KV/Put':
      return PutRequest.encode(put(random));
    case 'KV/DeleteRange':
      return DeleteRangeRequest.encode(remove(random));
    case 'KV/Txn':
      return random.next() < 0.05 ? deepTxn(random.integer(5000)) : TxnRequest.encode(txn(random) as never);
    case 'KV/Compact':
      // Not so far that other requests have nothing left to look at.
      return CompactionRequest.encode({
        revision: pick(random, [0, 1, 2, -1, 2 ** 53]),
        physical: random.next() < 0.5,
      });
    case 'Watch/Watch':
      return WatchRequest.encode(
        pick<() => object>(random, [
          () => ({
            create: {
              key: key(random),
              rangeEnd: pick(random, ['', '\0', 'z']),
              startRevision: random.next() < 0.5 ? 0 : number(random),
              watchId: random.next() < 0.5 ? 0 : number(random),
              prevKv: true,
              progressNotify: random.next() < 0.2,
              fragment: random.next() < 0.2,
              filters: [random.integer(4)],
            },
          }),
          () => ({ cancel: { watchId: number(random) } }),
          () => ({ progress: {} }),
          () => ({}),
        ])(),
      );
    case 'Lease/LeaseGrant':
      return LeaseGrantRequest.encode({ id: pick(random, IDS), ttl: number(random) });
    case 'Lease/LeaseTimeToLive':
      return LeaseTimeToLiveRequest.encode({ id: pick(random, IDS), keys: true });
    case 'Maintenance/HashKV':
      return HashKvRequest.encode({ revision: number(random) });
    default:
      return LeaseId.encode({ id: pick(random, IDS) });
  }
}

function framed(random: Random, message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  const chance = random.next();
  const content = chance < 0.02 ? BOMB : chance < 0.05 ? gzipSync(message) : message;
  head[0] = chance < 0.05 ? 1 : chance < 0.07 ? random.integer(256) : 0;
  head.writeUInt32BE(
    random.next() < 0.93 ? content.length : pick(random, [0, 1, content.length + 1, 0xffff_ffff, 3 * 1024 * 1024]),
    1,
  );
  return Buffer.concat([head, content]);
}

export function hostileCall(random: Random): HostileCall {
  const method = pick(random, METHODS);
  const path = random.next() < 0.93 ? `/etcdserverpb.${method}` : pick(random, ODD_PATHS);
  const isFlood = random.next() < 0.03;
  const one = (): Buffer => {
    const message = messageFor(random, method);
    const chance = random.next();
    if (chance < 0.1) return framed(random, Buffer.from(random.bytes(random.integer(300))));
    if (chance < 0.2) return framed(random, corrupted(random, message));
    if (chance < 0.25) return framed(random, message).subarray(0, random.integer(message.length + 5));
    return framed(random, message);
  };
  const body: Buffer[] = [];
  const count = isFlood
    ? 300 + random.integer(1000)
    : 1 + random.integer(method === 'Watch/Watch' || method === 'Lease/LeaseKeepAlive' ? 5 : 2);
  for (let bytes = 0; body.length < count && bytes < LARGEST_CALL; bytes += body.at(-1)!.length) body.push(one());
  const headers: Record<string, string> = {
    'content-type':
      random.next() < 0.95
        ? 'application/grpc'
        : pick(random, ['application/grpc+proto', 'text/plain', 'application/grpcx', '']),
    te: 'trailers',
  };
  if (random.next() < 0.1) headers['grpc-encoding'] = pick(random, ['gzip', 'gzip', 'deflate', 'identity', '']);
  if (random.next() < 0.05) headers['grpc-timeout'] = pick(random, ['1n', '0S', 'x', '99999999999999H']);
  return { path, headers, body: isFlood ? [Buffer.concat(body)] : body, ends: random.next() < 0.8 };
}

function corrupted(random: Random, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.length > 0)
    for (let i = random.integer(4); i >= 0; i--) copy[random.integer(copy.length)] = random.integer(256);
  return copy;
}
