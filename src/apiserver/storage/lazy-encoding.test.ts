import { afterEach, describe, expect, it } from 'vitest';
import { BYTES_PER_SIZE } from '../../etcd/index.ts';
import { SeededRandom } from '../../kernel/index.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';
import { LazyEncoding, estimateLength } from './lazy-encoding.ts';

const MAP = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
});

describe('the entry of an object in a memory store', () => {
  let server: TestServer;
  afterEach(() => server.stop());

  const stored = async (name: string): Promise<LazyEncoding> => {
    const { kvs } = await server.pipeline.chain.backend.store.range({ key: `/registry/configmaps/default/${name}` });
    return kvs[0]!.lazyValue as LazyEncoding;
  };
  /** As components in this process do it: objects go in and come out. */
  const within = (method: string, path: string, object?: KubeObject): ReturnType<TestServer['pipeline']['handle']> =>
    server.pipeline.handle({
      method,
      path,
      query: new URLSearchParams(),
      headers: {},
      object,
      inProcess: true,
      user: { name: 'admin', groups: ['system:masters'] },
      remoteAddress: '',
      signal: server.ctx.signal,
      readBody: () => Promise.resolve(Buffer.alloc(0)),
    });

  it('is the object itself until a client needs its bytes', async () => {
    server = await startTestServer();
    await within('POST', MAP, configMap('a', { k: 'one' }));
    const read = await within('GET', `${MAP}/a`);
    expect(read.result).toMatchObject({ type: 'entry' });
    const lazy = await stored('a');
    const object = lazy.objectAt(0);
    expect(object).toMatchObject({ data: { k: 'one' } });
    expect(Object.isFrozen(object!['data'])).toBe(true);
    expect((read.result as { entry: { object: unknown } }).entry.object).toBe(object);
    const { body, text } = await server.call('GET', `${MAP}/a`);
    expect(body).toMatchObject({ kind: 'ConfigMap', data: { k: 'one' } });
    expect(text).toContain(`"metadata":{"resourceVersion":"${body.metadata.resourceVersion}",`);
    expect(JSON.parse(Buffer.from(lazy.bytes()).toString())).toEqual({
      ...body,
      metadata: { ...body.metadata, resourceVersion: undefined },
    });
  });

  it('is there at each of its revisions', async () => {
    server = await startTestServer();
    const { body: first } = await server.call('POST', MAP, { body: configMap('a', { k: 'one' }) });
    await within('PUT', `${MAP}/a`, configMap('a', { k: 'two' }));
    await within('DELETE', `${MAP}/a`);
    const { text } = await server.call(
      'GET',
      `${MAP}?resourceVersion=${first.metadata.resourceVersion}&resourceVersionMatch=Exact`,
    );
    expect(text).toContain('"k":"one"');
    const { text: later } = await server.call(
      'GET',
      `${MAP}?resourceVersion=${Number(first.metadata.resourceVersion) + 1}&resourceVersionMatch=Exact`,
    );
    expect(later).toContain('"k":"two"');
  });

  it('may not be too large', async () => {
    server = await startTestServer();
    const { status, body } = await server.call('POST', MAP, {
      body: configMap('big', { k: 'x'.repeat(1_000_000), l: 'y'.repeat(1_000_000) }),
    });
    expect([status, body['message']]).toEqual([422, expect.stringContaining('Too long')]);
    const annotated = { ...configMap('big', { k: '"'.repeat(500_000), l: '"'.repeat(500_000) }) };
    const refused = await server.call('POST', MAP, { body: annotated });
    expect([refused.status, refused.body['message']]).toEqual([500, 'etcdserver: request is too large']);
    expect((await server.call('GET', `${MAP}/big`)).status).toBe(404);
  });
});

it('an object that was encoded before its revision was known equals its served bytes', () => {
  const { metadata, ...rest } = configMap('a', { k: 'v' });
  const lazy = new LazyEncoding({ ...rest, metadata: { managedFields: [{ manager: 'm' }], ...metadata } });
  const bytes = JSON.parse(Buffer.from(lazy.bytes()).toString()) as KubeObject;
  const object = lazy.objectAt(7)!;
  expect(JSON.stringify(object)).toBe(
    JSON.stringify({ ...bytes, metadata: { resourceVersion: '7', ...bytes.metadata } }),
  );
  expect(Object.isFrozen(object.metadata)).toBe(true);
  expect(lazy.objectAt(7)).toBe(object);
});

describe('estimateLength', () => {
  it.each(Array.from({ length: 50 }, (_, seed) => seed))('is never less than a sixth of the text, seed %i', (seed) => {
    const random = new SeededRandom(`rough ${seed}`);
    const alphabet = ['a', 'ü', '€', '\u0000', '"', '\\', '\ud800', '😀'];
    const words = (): string =>
      Array.from({ length: random.integer(9) }, () => alphabet[random.integer(alphabet.length)]).join('');
    const value = (depth: number): unknown => {
      switch (random.integer(depth > 3 ? 4 : 6)) {
        case 0:
          return words();
        case 1:
          return [null, true, false, 0][random.integer(4)];
        case 2:
          return -Number.MAX_VALUE / (1 + random.integer(7));
        case 3:
          return random.integer(2 ** 31);
        case 4:
          return Array.from({ length: random.integer(5) }, () => value(depth + 1));
        default:
          return Object.fromEntries(Array.from({ length: random.integer(5) }, () => [words(), value(depth + 1)]));
      }
    };
    const made = value(0);
    expect(estimateLength(made) * BYTES_PER_SIZE).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(made)));
  });
});
