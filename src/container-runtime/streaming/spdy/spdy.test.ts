import { once } from 'node:events';
import net from 'node:net';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SpdyConnection, type SpdyStream } from './connection.ts';
import { SPDY_DICTIONARY } from './dictionary.ts';
import { controlFrame, CONTROL_TYPES, dataFrame, FLAG_FIN, FrameReader, numbers, type Frame } from './frames.ts';
import { HeaderDecoder, HeaderEncoder, parseHeaders } from './header-block.ts';

/** Headers as a Go client compresses them: with the dictionary, in one stream a connection. */
class ClientHeaders {
  readonly #deflate = zlib.createDeflate({ dictionary: SPDY_DICTIONARY });

  async encode(headers: Record<string, string>): Promise<Buffer> {
    const chunks: Buffer[] = [];
    const collect = (chunk: Buffer): void => void chunks.push(chunk);
    this.#deflate.on('data', collect);
    const entries = Object.entries(headers);
    const block = Buffer.concat([
      numbers(entries.length),
      ...entries.flat().flatMap((text) => [numbers(text.length), Buffer.from(text)]),
    ]);
    this.#deflate.write(block);
    await new Promise<void>((resolve) => this.#deflate.flush(zlib.constants.Z_SYNC_FLUSH, () => resolve()));
    this.#deflate.off('data', collect);
    return Buffer.concat(chunks);
  }
}

describe('SPDY headers', () => {
  it('has the dictionary of SPDY/3', () => {
    let [a, b] = [1, 0];
    for (const byte of SPDY_DICTIONARY) {
      a = (a + byte) % 65_521;
      b = (b + a) % 65_521;
    }
    expect((b * 65_536 + a).toString(16)).toBe('e3c6a7c2');
  });

  it('reads several blocks of one compressed stream', async () => {
    const client = new ClientHeaders();
    const decoder = new HeaderDecoder();
    expect(await decoder.decode(await client.encode({ streamtype: 'error', port: '8080' }))).toEqual({
      streamtype: 'error',
      port: '8080',
    });
    expect(await decoder.decode(await client.encode({ StreamType: 'data' }))).toEqual({ streamtype: 'data' });
    decoder.close();
  });

  it('writes blocks that any inflater reads', () => {
    const encoder = new HeaderEncoder();
    const stream = Buffer.concat([encoder.encode({ a: '1' }), encoder.encode({})]);
    const text = zlib.inflateSync(stream, { finishFlush: zlib.constants.Z_SYNC_FLUSH });
    expect(parseHeaders(text)).toEqual({ a: '1' });
    expect(text.subarray(text.length - 4)).toEqual(numbers(0));
  });

  it('stops inflating a block that is too large', async () => {
    const decoder = new HeaderDecoder();
    const bomb = zlib.deflateSync(Buffer.alloc(30 * 1024 * 1024), {
      dictionary: SPDY_DICTIONARY,
      finishFlush: zlib.constants.Z_SYNC_FLUSH,
    });
    await expect(decoder.decode(bomb)).rejects.toThrow('a header block is too large');
    await expect(decoder.decode(bomb)).rejects.toThrow();
    decoder.close();
  });

  it.each([
    { name: 'a length past the end', block: Buffer.concat([numbers(1), numbers(100), Buffer.from('ab')]) },
    { name: 'no count', block: Buffer.alloc(2) },
  ])('refuses $name', ({ block }) => {
    expect(() => parseHeaders(block)).toThrow();
  });
});

describe('SPDY frames', () => {
  it('are cut out of any pieces', () => {
    const bytes = Buffer.concat([
      dataFrame(3, Buffer.from('hello'), FLAG_FIN),
      controlFrame(CONTROL_TYPES.PING, numbers(1)),
    ]);
    for (let size = 1; size <= bytes.length; size++) {
      const reader = new FrameReader();
      const frames: Frame[] = [];
      for (let at = 0; at < bytes.length; at += size) frames.push(...reader.push(bytes.subarray(at, at + size)));
      expect(frames).toEqual([
        { control: false, streamId: 3, flags: FLAG_FIN, content: Buffer.from('hello') },
        { control: true, type: CONTROL_TYPES.PING, flags: 0, content: numbers(1) },
      ]);
    }
  });

  it('of another version are refused', () => {
    const frame = controlFrame(CONTROL_TYPES.PING, numbers(1));
    frame[1] = 2;
    expect(() => new FrameReader().push(frame)).toThrow('SPDY version 2 is not supported');
  });
});

describe('a SPDY connection', () => {
  it('has streams that carry bytes both ways, half-close, and end with the connection', async () => {
    const listener = net.createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const client = net.connect((listener.address() as net.AddressInfo).port, '127.0.0.1');
    const [server] = (await once(listener, 'connection')) as [net.Socket];
    listener.close();
    const streams: SpdyStream[] = [];
    const connection = new SpdyConnection(server, Buffer.alloc(0), { onStream: (stream) => void streams.push(stream) });
    const headers = new ClientHeaders();
    const received: Frame[] = [];
    const reader = new FrameReader();
    client.on('data', (bytes: Buffer) => received.push(...reader.push(bytes)));
    client.write(
      controlFrame(
        CONTROL_TYPES.SYN_STREAM,
        Buffer.concat([numbers(1, 0), Buffer.alloc(2), await headers.encode({ streamtype: 'data' })]),
      ),
    );
    client.write(dataFrame(1, Buffer.from('to the server'), FLAG_FIN));
    client.write(controlFrame(CONTROL_TYPES.PING, numbers(7)));
    await expect.poll(() => streams.length).toBe(1);
    expect(streams[0]!.headers).toEqual({ streamtype: 'data' });
    let text = '';
    streams[0]!.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(streams[0]!, 'end');
    expect(text).toBe('to the server');
    streams[0]!.end('to the client');
    await expect
      .poll(() => received.filter((frame) => !frame.control).map((frame) => [frame.content.toString(), frame.flags]))
      .toEqual([
        ['to the client', 0],
        ['', FLAG_FIN],
      ]);
    expect(received.filter((frame) => frame.control).map((frame) => frame.type)).toEqual([
      CONTROL_TYPES.SYN_REPLY,
      CONTROL_TYPES.PING,
    ]);
    client.destroy();
    await expect.poll(() => connection.ended.aborted).toBe(true);
  });

  async function connected(): Promise<{ client: net.Socket; server: net.Socket }> {
    const listener = net.createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const client = net.connect((listener.address() as net.AddressInfo).port, '127.0.0.1').on('error', () => {});
    const [server] = (await once(listener, 'connection')) as [net.Socket];
    listener.close();
    return { client, server };
  }

  const pings = (count: number): Buffer =>
    Buffer.concat(Array.from({ length: count }, () => controlFrame(CONTROL_TYPES.PING, numbers(1))));

  it('answers the PINGs of one piece in one write', async () => {
    const { client, server } = await connected();
    let received = 0;
    client.on('data', (bytes: Buffer) => (received += bytes.length));
    let writes = 0;
    const { _writev } = server as unknown as { _writev: (...args: unknown[]) => void };
    Object.assign(server, { _writev: (...args: unknown[]) => (writes++, _writev.apply(server, args)) });
    const connection = new SpdyConnection(server, pings(3000), { onStream: () => {} });
    await expect.poll(() => received).toBe(3000 * 12);
    expect(writes).toBeLessThan(10);
    client.destroy();
    await expect.poll(() => connection.ended.aborted).toBe(true);
  });

  it('does not read further from a client that reads no responses', async () => {
    const { client, server } = await connected();
    client.pause();
    const connection = new SpdyConnection(server, Buffer.alloc(0), { onStream: () => {} });
    const flood = pings(50_000);
    for (let i = 0; i < 40; i++) client.write(flood);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(server.writableLength).toBeLessThan(4 * 1024 * 1024);
    client.destroy();
    await expect.poll(() => connection.ended.aborted).toBe(true);
  });
});
