/**
 * Loads of etcd's v3 API, as etcd's own `benchmark` program has them. The client only counts what it receives: a client that
 * decodes every message takes more processor time than the servers, and then its own speed is measured.
 */
import { FRAME_HEADER_BYTES, frame } from '../../src/etcd/wire/frames.ts';
import type { Message } from '../../src/etcd/wire/message.ts';
import { PutRequest, RangeRequest, WatchRequest } from '../../src/etcd/wire/messages.ts';
import type { FrameClient } from './frame-client.ts';
import type { LoadResult } from './load.ts';
import { percentiles } from './percentiles.ts';
import { connect, fail } from './request-lanes.ts';

export interface EtcdLoad {
  readonly type: 'put' | 'range' | 'watch';
  readonly server: string;
  readonly connections: number;
  /** Requests under way at any time, or watches, over all connections. */
  readonly concurrency: number;
  readonly durationMs: number;
  /** Of a range: how many keys it has, from `range/` on. */
  readonly keys?: number;
}

export const VALUE_BYTES = 1024;
const KEY_SPACE = 10_000;
const value = Buffer.alloc(VALUE_BYTES, 'x');
const grpc = (path: string): Record<string, string> => ({
  ':method': 'POST',
  ':path': path,
  'content-type': 'application/grpc',
  te: 'trailers',
});
const PUT = grpc('/etcdserverpb.KV/Put');
const RANGE = grpc('/etcdserverpb.KV/Range');
const WATCH = grpc('/etcdserverpb.Watch/Watch');

const framed = <T extends object>(message: Message<T>, content: Partial<T>): Buffer =>
  frame(message.encode(content, { reserve: FRAME_HEADER_BYTES }));

export async function runEtcdLoad(load: EtcdLoad): Promise<LoadResult> {
  const clients = Array.from({ length: load.connections }, () => connect({ server: load.server }));
  try {
    return load.type === 'watch' ? await watch(load, clients) : await requests(load, clients);
  } finally {
    for (const client of clients) client.close();
  }
}

async function requests(load: EtcdLoad, clients: readonly FrameClient[]): Promise<LoadResult> {
  const latencies: number[] = [];
  let count = 0;
  const next = load.type === 'put' ? put : range(load.keys ?? 1);
  const start = performance.now();
  const lane = async (client: FrameClient): Promise<void> => {
    while (performance.now() - start < load.durationMs) {
      const began = performance.now();
      await next(client, count++);
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: load.concurrency }, (_, i) => lane(clients[i % clients.length]!)));
  const elapsed = performance.now() - start;
  return { perSecond: (count / elapsed) * 1000, count, errors: 0, ...percentiles(latencies) };
}

const put = (client: FrameClient, number: number): Promise<number> =>
  call(client, PUT, framed(PutRequest, { key: `bench/${number % KEY_SPACE}`, value }));

function range(keys: number): (client: FrameClient, number: number) => Promise<void> {
  const whole = framed(RangeRequest, { key: 'range/', rangeEnd: 'range0' });
  return async (client, number) => {
    const key = `range/${String((number * 7919) % KEY_SPACE).padStart(9, '0')}`;
    const received = await call(client, RANGE, keys === 1 ? framed(RangeRequest, { key }) : whole);
    if (received < keys * VALUE_BYTES) fail(`a range of ${keys} keys has ${received} bytes`);
  };
}

/** Resolves with the length of the response when its status is OK. */
function call(client: FrameClient, headers: Record<string, string>, body: Buffer): Promise<number> {
  return new Promise((resolve) => {
    let status: string | undefined;
    let received = 0;
    client.request(
      headers,
      {
        onHead: (_status, fields) => (status = fields[fields.indexOf('grpc-status') + 1] ?? status),
        onData: (bytes) => (received += bytes.length),
        onEnd: () => (status === '0' ? resolve(received) : fail(`status ${status}`)),
      },
      body,
    );
  });
}

/** One key is written again and again; each write is followed by the next when all watchers have its event. */
async function watch(load: EtcdLoad, clients: readonly FrameClient[]): Promise<LoadResult> {
  const writer = connect({ server: load.server });
  let received = 0;
  let wanted = 0;
  let reached: (() => void) | undefined;
  const all = (messages: number): Promise<void> => {
    wanted = received + messages;
    return new Promise((resolve) => (reached = resolve));
  };
  const create = { key: 'watched', rangeEnd: '', startRevision: 0, progressNotify: false, filters: [], prevKv: false };
  const request = framed(WatchRequest, { create: { ...create, watchId: 0, fragment: false } });
  const begun = all(load.concurrency);
  for (let i = 0; i < load.concurrency; i++) {
    const counter = new MessageCounter();
    const heard = {
      onData: (bytes: Buffer) => {
        received += counter.count(bytes);
        if (received >= wanted) reached?.();
      },
      onEnd: () => fail('the server ended a watch'),
    };
    clients[i % clients.length]!.request(WATCH, heard, request, false);
  }
  await begun;
  const latencies: number[] = [];
  const before = received;
  const start = performance.now();
  while (performance.now() - start < load.durationMs) {
    const began = performance.now();
    const delivered = all(load.concurrency);
    await Promise.all([call(writer, PUT, framed(PutRequest, { key: 'watched', value })), delivered]);
    latencies.push(performance.now() - began);
  }
  const elapsed = performance.now() - start;
  writer.close();
  const count = received - before;
  return { perSecond: (count / elapsed) * 1000, count, errors: 0, ...percentiles(latencies) };
}

/** Counts the messages of a stream by their lengths. */
class MessageCounter {
  /** Of the message that has not fully arrived. */
  #missing = 0;
  #header = Buffer.alloc(0);

  count(bytes: Buffer): number {
    let ended = 0;
    let at = 0;
    while (at < bytes.length) {
      if (this.#missing === 0) {
        const header = Buffer.concat([this.#header, bytes.subarray(at, at + FRAME_HEADER_BYTES - this.#header.length)]);
        at += header.length - this.#header.length;
        this.#header = header;
        if (header.length < FRAME_HEADER_BYTES) return ended;
        this.#missing = header.readUInt32BE(1);
        this.#header = Buffer.alloc(0);
        if (this.#missing === 0) ended++;
      }
      const taken = Math.min(this.#missing, bytes.length - at);
      if (taken > 0 && (this.#missing -= taken) === 0) ended++;
      at += taken;
    }
    return ended;
  }
}
