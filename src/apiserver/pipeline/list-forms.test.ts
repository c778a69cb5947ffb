import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import { RealClock } from '../../kernel/index.ts';
import { encodeYaml } from '../../machinery/decode/index.ts';
import { decodeProtobufObject } from '../../machinery/protobuf/index.ts';
import type { ApiResponse, ResponseSink } from '../request/request.ts';
import { startTestServer, type CallOptions, type TestServer } from '../testing/index.ts';
import { PiecewiseBody } from './list-forms.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  const data = {
    text: 'one\n  two\n\nthree: "x"\n',
    empty: '',
    number: '007',
    long: `${'word '.repeat(60)}end`,
    umlaut: 'ß €',
  };
  const make = async (collection: string, metadata: object): Promise<void> =>
    expect(
      (await server.call('POST', collection, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } })).status,
    ).toBe(201);
  for (let i = 0; i < 12; i++) await make(COLLECTION, { name: `c-${i}`, labels: { i: String(i) } });
  // Every form of the second list is longer than what is sent as a whole.
  for (let i = 0; i < 6; i++) await make(LONG, { name: `c-${i}`, annotations: { a: 'y'.repeat(200_000) } });
});
afterAll(() => server.stop());

const COLLECTION = '/api/v1/namespaces/default/configmaps';
const LONG = '/api/v1/namespaces/kube-system/configmaps';
const EMPTY = '/api/v1/namespaces/kube-public/secrets';

function inPieces(response: ApiResponse, size: number): Buffer {
  const fill = response.large!.reader();
  const target = Buffer.alloc(size);
  const pieces: Buffer[] = [];
  for (let length = fill(target); length > 0; length = fill(target))
    pieces.push(Buffer.from(target.subarray(0, length)));
  return Buffer.concat(pieces);
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const METADATA = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const parsedProtobuf = (bytes: Buffer): unknown => decodeProtobufObject(schema, bytes);

describe('a list in another form', () => {
  it.each([
    { name: 'items', target: COLLECTION },
    { name: 'no items', target: EMPTY },
    { name: 'a page', target: `${COLLECTION}?limit=2` },
  ])('as text is the JSON list in that form: $name', async ({ target }) => {
    const list = JSON.parse((await server.call('GET', target)).text) as object;
    expect((await server.call('GET', `${target}${target.includes('?') ? '&' : '?'}pretty=1`)).text).toBe(
      JSON.stringify(list, null, 2),
    );
    expect((await server.call('GET', target, { accept: 'application/yaml' })).text).toBe(encodeYaml(list).toString());
  });

  it.each([TABLE, METADATA])('as %s is the same indented and as YAML', async (accept) => {
    for (const target of [COLLECTION, EMPTY]) {
      const { body, text } = await server.call('GET', target, { accept });
      expect(text).toBe(`${JSON.stringify(body)}\n`);
      expect((await server.call('GET', `${target}?pretty=1`, { accept })).text).toBe(JSON.stringify(body, null, 2));
      expect((await server.call('GET', target, { accept: accept.replace('json', 'yaml') })).text).toBe(
        encodeYaml(body).toString(),
      );
    }
  });

  it.each<{ name: string; options: CallOptions; parse: (bytes: Buffer) => unknown }>([
    { name: 'JSON', options: {}, parse: (bytes) => JSON.parse(bytes.toString()) },
    {
      name: 'indented JSON',
      options: { headers: { 'user-agent': 'curl/8' } },
      parse: (bytes) => JSON.parse(bytes.toString()),
    },
    { name: 'a Table', options: { accept: TABLE }, parse: (bytes) => JSON.parse(bytes.toString()) },
    { name: 'metadata', options: { accept: METADATA }, parse: (bytes) => JSON.parse(bytes.toString()) },
    {
      name: 'metadata as protobuf',
      options: { accept: METADATA.replace('application/json', PROTOBUF) },
      parse: parsedProtobuf,
    },
    { name: 'protobuf', options: { accept: PROTOBUF }, parse: parsedProtobuf },
    { name: 'YAML', options: { accept: 'application/yaml' }, parse: (bytes) => bytes.toString() },
  ])('that is long is sent in pieces: $name', async ({ options, parse }) => {
    const { response } = await server.call('GET', LONG, options);
    expect(response.large).toBeDefined();
    const whole = response.body as Buffer;
    expect(whole.length).toBeGreaterThan(6 * 200_000);
    for (const size of [1000, 300_000]) expect(inPieces(response, size).equals(whole)).toBe(true);
    const parsed = parse(whole) as { items?: unknown[]; rows?: unknown[] };
    if (typeof parsed === 'object') expect((parsed.items ?? parsed.rows)!.length).toBeGreaterThanOrEqual(6);
    response.done?.();
  });

  it('as protobuf that is too long to be cached is encoded again, with the same result', async () => {
    const label = 'z'.repeat(1_000_000);
    for (let i = 0; i < 6; i++)
      await server.call('POST', '/api/v1/namespaces/kube-public/configmaps', {
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `huge-${i}` }, data: { label } },
      });
    const { response } = await server.call('GET', '/api/v1/namespaces/kube-public/configmaps', { accept: PROTOBUF });
    const { items } = parsedProtobuf(inPieces(response, 300_000)) as {
      items: { metadata: { name: string }; data: { label: string } }[];
    };
    expect(
      items.filter(({ metadata }) => metadata.name.startsWith('huge-')).map(({ data }) => data.label === label),
    ).toEqual(Array(6).fill(true));
    response.done?.();
  });

  it('is compressed while it is sent, and no faster than the client reads', async () => {
    const { response } = await server.call('GET', LONG, { headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers['content-encoding']).toBe('gzip');
    const pieces: Buffer[] = [];
    const waiting: (() => void)[] = [];
    const sink: ResponseSink = {
      signal: server.ctx.signal,
      pending: 0,
      write: (piece) => {
        pieces.push(Buffer.from(piece));
        return false;
      },
      drained: () => new Promise((resolve) => waiting.push(resolve)),
    };
    let isOver = false;
    const sent = response.stream!(sink).then(() => (isOver = true));
    await expect.poll(() => waiting.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(pieces).toHaveLength(1);
    while (!isOver) {
      waiting.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await sent;
    const plain = (await server.call('GET', LONG)).response.body as Buffer;
    expect(gunzipSync(Buffer.concat(pieces)).equals(plain)).toBe(true);
  });
});

describe('pieces that come later', () => {
  const texts = ['head ', 'large item ', '', 'small ', 'large too ', 'end'];
  const later = [1, 4];
  const body = (): PiecewiseBody =>
    new PiecewiseBody(new RealClock(), function* (mayWait) {
      for (const [i, text] of texts.entries()) {
        const piece = Buffer.from(text);
        yield mayWait && later.includes(i) ? new Promise((resolve) => setImmediate(() => resolve(piece))) : piece;
      }
    });

  it.each([3, 1000])('are awaited in the turn before they are read, %i bytes at a time', async (size) => {
    const waiting = body();
    const fill = waiting.reader();
    const target = Buffer.alloc(size);
    let text = '';
    for (;;) {
      await waiting.turn();
      const length = fill(target);
      if (length === 0) break;
      text += target.toString('utf8', 0, length);
    }
    expect(text).toBe(texts.join(''));
    expect(waiting.produced).toBe(text.length);
  });

  it('are encoded at once for a caller that cannot wait', () => {
    expect(body().toBuffer().toString()).toBe(texts.join(''));
  });

  it('that fail end the body', async () => {
    const failing = new PiecewiseBody(new RealClock(), function* () {
      yield Promise.reject(new Error('the server stops'));
    });
    failing.reader();
    await expect(failing.turn()).rejects.toThrow('the server stops');
  });
});
