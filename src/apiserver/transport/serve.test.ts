/** One contract, whichever thread has the port. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { build } from '../../../scripts/build.mjs';
import { createContext } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/status.ts';
import { certificatesOfDer, commonName } from '../../net/tls/index.ts';
import { makeCertificate } from '../../net/tls/testing/index.ts';
import { createAuthority, issue, type KeyPair } from '../pki/certificates.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import type { SpeedOptions } from '../request/speed-options.ts';
import { listen } from './serve.ts';
import type { Transport } from './transport.ts';

const outdir = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  'node_modules',
  '.cache',
  'k8ts-front-test',
  String(process.pid),
);
const ctx = createContext();
let ca: KeyPair;
let serving: KeyPair;
let client: KeyPair;

beforeAll(async () => {
  await build({ entryPoints: { 'front-thread': 'src/apiserver/transport/thread/front-thread.ts' }, outdir });
  const authority = await createAuthority(ctx, 'test-ca');
  ca = authority;
  serving = await issue(ctx, authority, {
    commonName: 'server',
    dnsNames: ['localhost'],
    addresses: ['127.0.0.1'],
    usage: 'server',
  });
  client = await issue(ctx, authority, { commonName: 'someone', usage: 'client' });
}, 60_000);
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

const ownThread = (): Worker => new Worker(join(outdir, 'front-thread.js'));
const sameThread = (): undefined => undefined;

/** One contract for both, with each feature of the speed layer off as well. */
const THREADS = {
  'this thread has the port': { thread: sameThread },
  'this thread has the port, requests are not batched': { thread: sameThread, speed: { batchRequests: false } },
  'this thread has the port, heads are not remembered': { thread: sameThread, speed: { headerTables: false } },
  'a thread of its own has the port': { thread: ownThread },
  'a thread of its own has the port, requests are not batched': { thread: ownThread, speed: { batchRequests: false } },
  'a thread of its own has the port, headers are sent whole': { thread: ownThread, speed: { headerTables: false } },
  'a thread of its own has the port, messages are not batched': { thread: ownThread, speed: { messageBatches: false } },
} satisfies Record<string, { thread: () => Worker | undefined; speed?: Partial<SpeedOptions> }>;

const MAX_BODY_BYTES = 300_000;
const text = (status: number, body: string): ApiResponse => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
});
const ended: string[] = [];
const upgrades = new WebSocketServer({ noServer: true });

/** Its answers tell what arrived. */
async function handle(request: ApiRequest): Promise<ApiResponse> {
  switch (request.path) {
    case '/echo':
      try {
        return { status: 200, headers: {}, body: await request.readBody() };
      } catch (error) {
        if (isStatusError(error)) return text(error.code, error.message);
        throw error;
      }
    case '/headers':
      return text(
        200,
        JSON.stringify({
          token: request.headers['authorization'],
          groups: request.headers['impersonate-group'],
          query: request.query.get('q'),
          method: request.method,
          address: request.remoteAddress,
        }),
      );
    case '/certificate':
      return text(200, String(request.peerCertificate?.raw.length ?? 0));
    case '/chain':
      return text(
        200,
        certificatesOfDer(request.peerCertificate?.raw ?? Buffer.alloc(0))
          .map(({ subject }) => commonName(subject))
          .join(' '),
      );
    case '/large': {
      let left = Number(request.query.get('bytes'));
      return {
        status: 200,
        headers: {},
        large: {
          produced: 0,
          reader: () => (target) => {
            const length = Math.min(left, target.length);
            target.fill('x', 0, length);
            left -= length;
            return length;
          },
        },
      };
    }
    case '/leave':
      request.leaveConnection?.();
      return text(200, 'left');
    case '/unread':
      return text(403, 'not read');
    case '/events':
      return {
        status: 200,
        headers: {},
        async stream(sink) {
          for (let i = 0; i < 3; i++) sink.write(`event ${i}\n`);
          await new Promise((resolve) => sink.signal.addEventListener('abort', resolve, { once: true }));
          ended.push(String((sink.signal.reason as Error).message));
        },
      };
    case '/flood':
      return {
        status: 200,
        headers: {},
        async stream(sink) {
          const piece = Buffer.alloc(100_000, 'f');
          let most = 0;
          for (let i = 0; i < 100; i++) {
            if (!sink.write(piece)) await sink.drained();
            most = Math.max(most, sink.pending);
          }
          ended.push(`at most ${most > 2_000_000 ? 'too many' : 'few'} bytes were waiting`);
        },
      };
    case '/broken':
      return {
        status: 200,
        headers: {},
        stream(sink) {
          sink.write('half');
          return Promise.reject(new Error('broken'));
        },
      };
    case '/websocket': {
      const { rawRequest, socket, head } = request.upgrade!;
      upgrades.handleUpgrade(rawRequest, socket, head, (connection) =>
        connection.on('message', (message) => connection.send(`heard ${String(message as Buffer)}`)),
      );
      return { status: 101, headers: {}, hijacked: true };
    }
    default:
      return text(404, 'nothing here');
  }
}

interface Answer {
  readonly status: number | undefined;
  readonly body: Buffer;
  readonly code?: number;
}

const connect = (port: number, options: http2.SecureClientSessionOptions = {}): http2.ClientHttp2Session => {
  const session = http2.connect(`https://localhost:${port}`, {
    ca: ca.certificate,
    settings: { initialWindowSize: 1 << 20 },
    ...options,
  });
  session.on('error', () => {});
  return session;
};

async function ask(
  session: http2.ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  body?: Buffer,
): Promise<Answer> {
  const stream = session.request(headers, { endStream: body === undefined });
  let status: number | undefined;
  const pieces: Buffer[] = [];
  stream.on('response', (head) => (status = head[':status']));
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  stream.on('error', () => {});
  if (body) stream.end(body);
  await new Promise((resolve) => stream.once('close', resolve));
  return { status, body: Buffer.concat(pieces), code: stream.rstCode };
}

const get = (
  session: http2.ClientHttp2Session,
  path: string,
  headers: http2.OutgoingHttpHeaders = {},
): Promise<Answer> => ask(session, { ':path': path, ...headers });
const post = (
  session: http2.ClientHttp2Session,
  body: Buffer,
  headers: http2.OutgoingHttpHeaders = {},
): Promise<Answer> => ask(session, { ':method': 'POST', ':path': '/echo', ...headers }, body);

describe.each<[string, { thread: () => Worker | undefined; speed?: Partial<SpeedOptions> }]>(Object.entries(THREADS))(
  '%s',
  (_, { thread, speed }) => {
    let transport: Transport;
    let session: http2.ClientHttp2Session;
    beforeAll(async () => {
      transport = await listen(
        ctx,
        {
          host: '127.0.0.1',
          port: 0,
          maxBodyBytes: MAX_BODY_BYTES,
          tls: { key: serving.key, certificate: serving.certificate, clientCa: ca.certificate },
          thread: thread(),
          speed,
        },
        handle,
      );
      session = connect(transport.port);
    });
    afterAll(async () => {
      session?.destroy();
      await transport?.close(1000);
    });

    it('serves what runs on a connection that a request leaves, and then ends it', async () => {
      const other = connect(transport.port);
      const [goaway, closed] = [once(other, 'goaway'), once(other, 'close')];
      const slow = other.request({ ':method': 'POST', ':path': '/echo' }, { endStream: false });
      slow.write('a');
      expect(await get(other, '/leave')).toMatchObject({ status: 200, body: Buffer.from('left') });
      expect((await goaway)[0]).toBe(0);
      slow.end('b');
      expect((await once(slow, 'data'))[0]).toEqual(Buffer.from('ab'));
      await closed;
    });

    const BODIES = {
      'an empty body': [Buffer.alloc(0), {}],
      'a short body': [Buffer.from('{"a":1}'), { 'content-length': 7 }],
      'a short body of unknown length': [Buffer.from('{"a":1}'), {}],
      'a body of many frames': [Buffer.alloc(250_000, 'b'), { 'content-length': 250_000 }],
    } satisfies Record<string, [Buffer, http2.OutgoingHttpHeaders]>;
    it.each(Object.entries(BODIES))('%s arrives whole', async (_name, [body, headers]) => {
      const answer = await post(session, body, headers);
      expect(answer.status).toBe(200);
      expect(answer.body.equals(body)).toBe(true);
    });

    it('a compressed body is unpacked', async () => {
      const packed = gzipSync('{"a":1}');
      expect(
        (await post(session, packed, { 'content-encoding': 'gzip', 'content-length': packed.length })).body.toString(),
      ).toBe('{"a":1}');
    });

    it('a plain body with a Content-Encoding is passed on unchanged', async () => {
      const answer = await post(session, Buffer.from('{"a":1}'), { 'content-encoding': 'gzip' });
      expect([answer.status, answer.body.toString()]).toEqual([200, '{"a":1}']);
    });

    it.each([{ length: true }, { length: false }])(
      'a body over the limit is refused (with Content-Length: $length)',
      async ({ length }) => {
        const body = Buffer.alloc(MAX_BODY_BYTES + 1, 'b');
        expect((await post(session, body, length ? { 'content-length': body.length } : {})).status).toBe(413);
      },
    );

    it('a request is answered although its body is not read', async () => {
      const answer = await ask(session, { ':method': 'POST', ':path': '/unread' }, Buffer.alloc(200_000));
      expect(answer).toMatchObject({ status: 403, code: 0 });
    });

    it('every request has its own headers, in any order of arrival', async () => {
      const tokens = Array.from({ length: 30 }, (_v, i) => `Bearer ${i % 12}`);
      const answers = await Promise.all(
        tokens.map((authorization, i) =>
          i % 2
            ? get(session, `/headers?q=${i}`, { authorization })
            : ask(
                session,
                { ':method': 'POST', ':path': `/headers?q=${i}`, authorization, 'content-length': 2 },
                Buffer.from('{}'),
              ),
        ),
      );
      for (const [i, { body }] of answers.entries())
        expect(JSON.parse(body.toString())).toEqual({
          token: tokens[i],
          query: String(i),
          method: i % 2 ? 'GET' : 'POST',
          address: '127.0.0.1',
        });
    });

    it('a slow body does not get the headers of requests that overtook it', async () => {
      const slow = session.request({
        ':method': 'POST',
        ':path': '/headers',
        authorization: 'Bearer slow',
        'content-length': 2,
      });
      slow.write('{');
      await Promise.all(
        Array.from({ length: 20 }, (_v, i) => get(session, '/headers', { authorization: `Bearer fast ${i}` })),
      );
      slow.end('}');
      const pieces = await slow.toArray();
      expect(JSON.parse(Buffer.concat(pieces).toString())).toMatchObject({ token: 'Bearer slow', method: 'POST' });
    });

    it('a missing body does not delay the request', async () => {
      const stream = session.request({ ':method': 'POST', ':path': '/unread', 'content-length': 5 });
      const [head] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
      expect(head[':status']).toBe(403);
      stream.close();
    }, 10_000);

    it('repeated identity headers stay apart', async () => {
      const answer = await get(session, '/headers', { 'impersonate-group': ['a,b', 'c'] });
      expect(JSON.parse(answer.body.toString())).toMatchObject({ groups: ['a,b', 'c'] });
    });

    it('HEAD has no body', async () => {
      expect(await ask(session, { ':method': 'HEAD', ':path': '/headers' })).toMatchObject({
        status: 200,
        body: Buffer.alloc(0),
      });
    });

    it('the certificate of a client is seen', async () => {
      const known = connect(transport.port, { cert: client.certificate, key: client.key });
      expect((await get(known, '/certificate')).body.toString()).toMatch(/^[1-9]\d+$/);
      expect((await get(session, '/certificate')).body.toString()).toBe('0');
      known.destroy();
    });

    it("the client's intermediate certificates are passed on", async () => {
      const root = await makeCertificate({ subject: 'CN=root', ca: true });
      const between = await makeCertificate({ subject: 'CN=between', issuer: root, ca: true });
      const leaf = await makeCertificate({ subject: 'CN=leaf', issuer: between });
      const known = connect(transport.port, { cert: leaf.pem + between.pem, key: leaf.keyPem });
      expect((await get(known, '/chain')).body.toString()).toBe('leaf between');
      known.destroy();
    });

    it('a large body arrives whole, several at once', async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => get(session, '/large?bytes=3000001')));
      for (const { body } of answers) {
        expect(body.length).toBe(3_000_001);
        expect(body.every((byte) => byte === 'x'.charCodeAt(0))).toBe(true);
      }
    });

    it('a large body that is not read to its end delays no other request', async () => {
      const stream = session.request({ ':path': '/large?bytes=30000000' });
      await once(stream, 'data');
      stream.close(http2.constants.NGHTTP2_CANCEL);
      expect((await get(session, '/large?bytes=1000000')).body.length).toBe(1_000_000);
    });

    it('a stream arrives as it is written, and ends', async () => {
      ended.length = 0;
      const stream = session.request({ ':path': '/events' });
      let heard = '';
      for await (const piece of stream) {
        heard += String(piece);
        if (heard.endsWith('event 2\n')) break;
      }
      expect(heard).toBe('event 0\nevent 1\nevent 2\n');
      stream.close(http2.constants.NGHTTP2_CANCEL);
      await expect.poll(() => ended).toEqual(['the client went away']);
    });

    it('a stream ends with its connection', async () => {
      ended.length = 0;
      const other = connect(transport.port);
      const stream = other.request({ ':path': '/events' });
      stream.on('error', () => {});
      await once(stream, 'data');
      other.destroy();
      await expect.poll(() => ended).toEqual(['the client went away']);
    });

    it('a writer notices a slow reader', async () => {
      ended.length = 0;
      const stream = session.request({ ':path': '/flood' });
      await once(stream, 'response');
      const body = Buffer.concat(await stream.toArray());
      expect(body.length).toBe(10_000_000);
      expect(ended).toEqual(['at most few bytes were waiting']);
    });

    it('half an answer does not look like a whole one', async () => {
      expect((await get(session, '/broken')).code).toBe(http2.constants.NGHTTP2_INTERNAL_ERROR);
    });

    describe('HTTP/1.1', () => {
      const request = (path: string, options: https.RequestOptions = {}, body?: string): Promise<Answer> =>
        new Promise((resolve, reject) => {
          const sent = https.request(
            { host: 'localhost', port: transport.port, ca: ca.certificate, path, ...options },
            (answer) => {
              const pieces: Buffer[] = [];
              answer.on('data', (piece: Buffer) => pieces.push(piece));
              answer.on('end', () => resolve({ status: answer.statusCode, body: Buffer.concat(pieces) }));
              answer.on('error', reject);
            },
          );
          sent.on('error', reject);
          sent.end(body);
        });

      it('is answered, over one connection again and again', async () => {
        const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
        for (let i = 0; i < 3; i++)
          expect((await request('/echo', { method: 'POST', agent }, `body ${i}`)).body.toString()).toBe(`body ${i}`);
        agent.destroy();
      });

      it('a large body arrives whole', async () => {
        const body = 'z'.repeat(290_000);
        expect((await request('/echo', { method: 'POST' }, body)).body.toString()).toBe(body);
      });

      it('the certificate of a client is seen', async () => {
        expect((await request('/certificate', { cert: client.certificate, key: client.key })).body.toString()).toMatch(
          /^[1-9]\d+$/,
        );
      });

      it('a stream arrives, and ends', async () => {
        ended.length = 0;
        const sent = https.request({ host: 'localhost', port: transport.port, ca: ca.certificate, path: '/events' });
        sent.on('error', () => {});
        sent.end();
        const [answer] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
        await once(answer, 'data');
        sent.destroy();
        await expect.poll(() => ended).toEqual(['the client went away']);
      });

      it('a connection can be hijacked', async () => {
        const socket = new WebSocket(`wss://localhost:${transport.port}/websocket`, { ca: ca.certificate });
        await once(socket, 'open');
        socket.send('hello');
        const [message] = (await once(socket, 'message')) as [Buffer];
        expect(message.toString()).toBe('heard hello');
        socket.close();
        await once(socket, 'close');
      });

      const PACKET_PAUSE_MS = 20;
      const paused = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, PACKET_PAUSE_MS));
      const answered = (socket: tls.TLSSocket): Promise<unknown> => once(socket, 'data');

      /** The answer until the connection ends, to bytes that are sent packet by packet. */
      const answerTo = async (
        packets: string[],
        betweenPackets: (s: tls.TLSSocket) => unknown = paused,
      ): Promise<string> => {
        const socket = tls.connect({
          host: 'localhost',
          port: transport.port,
          ca: ca.certificate,
          cert: client.certificate,
          key: client.key,
          ALPNProtocols: ['http/1.1'],
        });
        await once(socket, 'secureConnect');
        const pieces: Buffer[] = [];
        socket.on('data', (piece: Buffer) => pieces.push(piece));
        // The server may answer and close while a packet is still being sent.
        socket.on('error', () => {});
        const closed = new Promise((resolve) => socket.once('close', resolve));
        for (const packet of packets) {
          socket.write(packet);
          if (packet !== packets.at(-1)) await betweenPackets(socket);
        }
        await closed;
        return Buffer.concat(pieces).toString();
      };

      const ODD_METHODS = {
        'no method that Node knows': [
          'FOO',
          [
            'FOO /headers?q=1 HTTP/1.1\r\nHost: x\r\nAuthorization: t\r\nImpersonate-Group: a,b\r\nImpersonate-Group: c\r\n\r\n',
          ],
        ],
        'one that begins like another': [
          'GETTING',
          [
            'GETTING /headers?q=1 HTTP/1.1\r\nhost:x\r\nauthorization:t \r\nimpersonate-group:a,b\r\nimpersonate-group:c\r\n\r\n',
          ],
        ],
        'one in small letters, with a body': [
          'post',
          [
            'post /headers?q=1 HTTP/1.1\r\nHost: x\r\nAuthorization: t\r\nContent-Length: 2\r\nImpersonate-Group: a,b\r\nImpersonate-Group: c\r\n\r\n',
            '{}',
          ],
        ],
        'one whose head comes in pieces': [
          'FOO',
          [
            'FOO',
            ' /headers?q=1 HTTP/1.1\r\nHost: x\r\nAuthor',
            'ization: t\r\nImpersonate-Group: a,b\r\nImpersonate-Group: c\r\n\r',
            '\n',
          ],
        ],
        'that of a tunnel': [
          'CONNECT',
          [
            'CONNECT /headers?q=1 HTTP/1.1\r\nHost: x\r\nAuthorization: t\r\nImpersonate-Group: a,b\r\nImpersonate-Group: c\r\n\r\n',
          ],
        ],
      } satisfies Record<string, [string, string[]]>;
      it.each(Object.entries(ODD_METHODS))(
        'a request of an odd method is a request: %s',
        async (_name, [method, packets]) => {
          const answer = await answerTo(packets);
          expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n/);
          expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
            token: 't',
            groups: ['a,b', 'c'],
            query: '1',
            method,
            address: '127.0.0.1',
          });
        },
      );

      it('a request with an unknown method has the client certificate of its connection', async () => {
        expect(await answerTo(['FOO /certificate HTTP/1.1\r\nHost: x\r\n\r\n'])).toMatch(/\r\n\r\n[1-9]\d+$/);
      });

      it('an unknown method may follow other requests', async () => {
        const packets = ['GET /certificate HTTP/1.1\r\nHost: x\r\n\r\n', 'FOO /nothing HTTP/1.1\r\nHost: x\r\n\r\n'];
        expect(await answerTo(packets, answered)).toMatch(/^HTTP\/1\.1 200 [^]*HTTP\/1\.1 404 /);
      });

      it('an odd method is answered after the requests before it in the same packet', async () => {
        const packet = 'GET /certificate HTTP/1.1\r\nHost: x\r\n\r\nFOO /nothing HTTP/1.1\r\nHost: x\r\n\r\n';
        expect(await answerTo([packet])).toMatch(/^HTTP\/1\.1 200 [^]*HTTP\/1\.1 404 /);
      });

      it.each([
        ['a word', 'NONSENSE\r\n\r\n'],
        ['bytes', '\u0001\u0002\u0003'],
        ['no method at all', 'F(O /headers HTTP/1.1\r\nHost: x\r\n\r\n'],
        ['no host', 'FOO /headers HTTP/1.1\r\n\r\n'],
        ['a header that is none', 'FOO /headers HTTP/1.1\r\nHost: x\r\nof whom: me\r\n\r\n'],
        ['a header on two lines', 'FOO /headers HTTP/1.1\r\nHost: x\r\n Authorization: t\r\n\r\n'],
      ])('invalid requests are refused: %s', async (_name, sent) => {
        expect(await answerTo([sent])).toBe(
          'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request',
        );
      });
    });

    it('serves a connection that another server accepted', async () => {
      const elsewhere = net.createServer((socket) => transport.accept(socket));
      await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
      const other = connect((elsewhere.address() as net.AddressInfo).port);
      expect((await get(other, '/headers')).status).toBe(200);
      other.destroy();
      elsewhere.close();
    });

    it('a port in use is reported by its code', async () => {
      const again = listen(
        ctx,
        {
          host: '127.0.0.1',
          port: transport.port,
          maxBodyBytes: MAX_BODY_BYTES,
          tls: { key: serving.key, certificate: serving.certificate },
          thread: thread(),
          speed,
        },
        handle,
      );
      await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
    });

    it('the certificate is that of the name or the address, also after a renewal', async () => {
      const own = await makeCertificate({ subject: 'CN=own' });
      const named = async (name: string, ...names: string[]) => {
        const { pem, keyPem } = await makeCertificate({ subject: `CN=${name}` });
        return { certificate: pem, key: keyPem, names };
      };
      const options = { certificate: own.pem, key: own.keyPem };
      const tlsOptions = { ...options, named: [await named('a', 'a.example'), await named('address', '127.0.0.1')] };
      const base = { host: '127.0.0.1', port: 0, maxBodyBytes: MAX_BODY_BYTES, speed };
      const third = await listen(ctx, { ...base, tls: tlsOptions, thread: thread() }, handle);
      const shown = async (servername: string): Promise<unknown> => {
        const socket = tls.connect({ host: '127.0.0.1', port: third.port, servername, rejectUnauthorized: false });
        await once(socket, 'secureConnect');
        const { CN } = socket.getPeerCertificate().subject;
        socket.destroy();
        return CN;
      };
      const all = (): Promise<unknown[]> => Promise.all(['a.example', '', 'b.example'].map(shown));
      try {
        expect(await all()).toEqual(['a', 'address', 'own']);
        third.renew({
          ...options,
          named: [await named('new a', 'a.example'), await named('new address', '127.0.0.1')],
        });
        await expect.poll(all).toEqual(['new a', 'new address', 'own']);
      } finally {
        await third.close(0);
      }
    });

    it('a connection that does not become secure is counted', async () => {
      const own = createContext();
      const base = { host: '127.0.0.1', port: 0, maxBodyBytes: MAX_BODY_BYTES, speed, thread: thread() };
      const third = await listen(own, { ...base, tls: serving }, handle);
      const count = (): number =>
        Number(/^apiserver_tls_handshake_errors_total (\d+)/m.exec(own.metrics.expose())?.[1]);
      try {
        const secure = tls.connect({ host: 'localhost', port: third.port, ca: ca.certificate });
        await once(secure, 'secureConnect');
        for (const expected of [1, 2]) {
          const socket = net.connect({ host: '127.0.0.1', port: third.port });
          socket.end('GET / HTTP/1.1\r\n\r\n');
          await once(socket.resume(), 'close');
          await expect.poll(count).toBe(expected);
        }
        secure.destroy();
      } finally {
        await third.close(0);
      }
    });

    it('HTTP/2 is not offered when it is off', async () => {
      const base = { host: '127.0.0.1', port: 0, maxBodyBytes: MAX_BODY_BYTES, speed, thread: thread() };
      const off = { ...base, tls: serving, http2: { enabled: false, maxStreams: 1000 } };
      const third = await listen(ctx, off, handle);
      try {
        const ALPNProtocols = ['h2', 'http/1.1'];
        const socket = tls.connect({ host: 'localhost', port: third.port, ca: ca.certificate, ALPNProtocols });
        await once(socket, 'secureConnect');
        expect(socket.alpnProtocol).toBe('http/1.1');
        socket.destroy();
      } finally {
        await third.close(0);
      }
    });

    it('a connection may have as many streams as it is told', async () => {
      const base = { host: '127.0.0.1', port: 0, maxBodyBytes: MAX_BODY_BYTES, speed, thread: thread() };
      const few = { ...base, tls: serving, http2: { enabled: true, maxStreams: 7 } };
      const third = await listen(ctx, few, handle);
      try {
        const other = connect(third.port);
        const [settings] = (await once(other, 'remoteSettings')) as [http2.Settings];
        expect(settings.maxConcurrentStreams).toBe(7);
        other.destroy();
      } finally {
        await third.close(0);
      }
    });

    it('closing ends streams and waits for requests', async () => {
      ended.length = 0;
      const second = await listen(
        ctx,
        {
          host: '127.0.0.1',
          port: 0,
          maxBodyBytes: MAX_BODY_BYTES,
          tls: { key: serving.key, certificate: serving.certificate },
          thread: thread(),
          speed,
        },
        handle,
      );
      const other = connect(second.port);
      const stream = other.request({ ':path': '/events' });
      await once(stream, 'data');
      await Promise.all([second.close(1000), once(stream, 'close')]);
      expect(ended).toEqual(['the server is shutting down']);
      expect(stream.rstCode).toBe(0);
      other.destroy();
    });
  },
);
