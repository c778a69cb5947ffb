import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestContext } from '../../kernel/index.ts';
import { createMemoryStore } from '../index.ts';
import { serveEtcd, type EtcdFront } from './serve.ts';

const ctx = createTestContext();
const store = createMemoryStore({ clock: ctx.clock });
let front: EtcdFront;
beforeAll(async () => {
  front = await serveEtcd(ctx, { store, listenClientUrls: ['http://127.0.0.1:0'] });
});
afterAll(async () => {
  await front.close();
  await store.close();
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function call(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${front.urls[0]}${path}`, { method: 'POST', body: JSON.stringify(body), headers });
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : text };
}

describe('the JSON gateway', () => {
  it('puts, reads and deletes', async () => {
    expect((await call('/v3/kv/put', { key: 'X3Rlc3Q=', value: '' })).status).toBe(200);
    const value = base64('bar');
    const put = await call('/v3/kv/put', { key: base64('foo'), value, prev_kv: true });
    expect(put.body).toEqual({ header: expect.objectContaining({ revision: '3' }) as object });
    const again = await call('/v3/kv/put', { key: base64('foo'), value, prevKv: true });
    const kv = { key: base64('foo'), create_revision: '3', mod_revision: '3', version: '1', value };
    expect(again.body).toMatchObject({ prev_kv: kv });
    const range = await call('/v3/kv/range', {
      ...{ key: 'AA==', range_end: 'AA==', limit: '1', keys_only: true },
      ...{ sort_order: 'DESCEND', sort_target: 'KEY' },
    });
    expect(range.body).toEqual({
      header: expect.objectContaining({ revision: '4', raft_term: expect.any(String) as string }) as object,
      kvs: [{ key: base64('foo'), create_revision: '3', mod_revision: '4', version: '2' }],
      more: true,
      count: '2',
    });
    expect((await call('/v3/kv/deleterange', { key: 'X3Rlc3Q=' })).body).toMatchObject({ deleted: '1' });
  });

  it('compares and changes at once', async () => {
    const { body } = await call('/v3/kv/txn', {
      compare: [{ result: 'EQUAL', target: 'MOD', key: base64('foo'), mod_revision: '4' }],
      success: [{ requestRange: { key: base64('foo') } }, { request_put: { key: base64('a'), value: base64('b') } }],
      failure: [],
    });
    expect(body).toMatchObject({
      succeeded: true,
      responses: [{ response_range: { count: '1' } }, { response_put: { header: { revision: '6' } } }],
    });
  });

  it.each([
    ['/v3/kv/range', { key: 5 }, 400, 3, 'invalid value for bytes field key: 5'],
    ['/v3/kv/range', { nope: 5 }, 400, 3, 'etcdserver: key is not provided'],
    ['/v3/kv/range', { key: 'YQ==', sort_order: 'SIDEWAYS' }, 400, 3, 'invalid value for enum field sort_order'],
    ['/v3/kv/compaction', { revision: '100000' }, 400, 11, 'required revision is a future revision'],
    ['/v3/kv/nope', {}, 404, 5, 'Not Found'],
  ])('refuses %s %j', async (path, request, status, code, message) => {
    const answer = await call(path, request);
    expect(answer).toEqual({ status, body: { code, message: expect.stringContaining(message) as string } });
  });

  it('has other methods, and is not for pages of browsers', async () => {
    expect((await fetch(`${front.urls[0]}/v3/kv/range`)).status).toBe(501);
    expect((await call('/v3/kv/range', { key: 'YQ==' }, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await fetch(`${front.urls[0]}/health`)).status).toBe(200);
  });

  it("reports the release whose API it speaks, which is that of upstream's v1.36", async () => {
    const version = await (await fetch(`${front.urls[0]}/version`)).json();
    expect(version).toEqual({ etcdserver: '3.6.8', etcdcluster: '3.6.0', storage: '3.6.0' });
  });
});
