import { describe, expect, it } from 'vitest';
import * as f from './frames.ts';
import type { Http2Stream } from './stream.ts';
import { data, get, headers, POST, post, RawPeer } from './testing/peer.ts';

const OK = [':status', '200'];

/** A server that keeps what arrives. */
async function streaming(): Promise<{ peer: RawPeer; stream: Http2Stream; arrived: string[] }> {
  const peer = await RawPeer.greeted({ streamWindow: 65_535 });
  await peer.send(post(1));
  const stream = peer.streams.get(1)!;
  const arrived: string[] = [];
  stream.readPieces({ data: (bytes) => arrived.push(bytes.toString()), end: () => arrived.push('end') });
  return { peer, stream, arrived };
}

describe('a body in pieces', () => {
  it('arrives piece by piece, and then its end', async () => {
    const { peer, arrived } = await streaming();
    await peer.send(data(1, 'a'));
    expect(arrived).toEqual(['a']);
    await peer.send(data(1, 'b', f.END_STREAM));
    expect(arrived).toEqual(['a', 'b', 'end']);
  });

  it('that came before it was asked for is handed over at once', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(post(1), data(1, 'a'), data(1, 'b', f.END_STREAM));
    const arrived: string[] = [];
    peer.streams
      .get(1)!
      .readPieces({ data: (bytes) => arrived.push(bytes.toString()), end: () => arrived.push('end') });
    expect(arrived).toEqual(['ab', 'end']);
  });

  it('waits while the stream is paused, and holds the peer back', async () => {
    const { peer, stream, arrived } = await streaming();
    stream.pause();
    const piece = 'x'.repeat(16_000);
    await peer.send(data(1, piece), data(1, piece), data(1, piece), data(1, piece));
    expect(arrived).toEqual([]);
    expect(peer.of(1, f.WINDOW_UPDATE)).toEqual([]);
    stream.resume();
    await peer.settle();
    expect(arrived.join('').length).toBe(4 * piece.length);
    expect(peer.of(1, f.WINDOW_UPDATE).length).toBe(1);
    stream.pause();
    await peer.send(data(1, 'last', f.END_STREAM));
    expect(arrived.at(-1)).not.toBe('end');
    stream.resume();
    expect(arrived.slice(-2)).toEqual(['last', 'end']);
  });
});

describe('trailers', () => {
  it('follow the body and end the stream', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(get(1));
    const stream = peer.streams.get(1)!;
    stream.begin(OK, []);
    stream.write(Buffer.from('body'));
    stream.endWithTrailers(['grpc-status', '0']);
    await peer.settle();
    const frames = peer.frames.filter((frame) => frame.stream === 1);
    expect(frames.map(({ type, flags }) => [type, flags])).toEqual([
      [f.HEADERS, f.END_HEADERS],
      [f.DATA, 0],
      [f.HEADERS, f.END_HEADERS | f.END_STREAM],
    ]);
    expect(stream.closed).toBe(true);
  });

  it('wait for a body that the window does not take yet', async () => {
    const peer = await RawPeer.greeted({}, [f.SETTING.initialWindowSize, 2]);
    await peer.send(get(1));
    const stream = peer.streams.get(1)!;
    stream.begin(OK, []);
    stream.write(Buffer.from('body'));
    stream.endWithTrailers(['grpc-status', '0']);
    await peer.settle();
    expect(peer.of(1, f.HEADERS).length).toBe(1);
    const more = Buffer.alloc(13);
    more.writeUIntBE(4, 0, 3);
    more[3] = f.WINDOW_UPDATE;
    more.writeUInt32BE(1, 5);
    more.writeUInt32BE(10, 9);
    await peer.send(more);
    expect(peer.of(1, f.HEADERS).length).toBe(2);
  });
});

it('an authority may be a whole URL, as old gRPC clients send it', async () => {
  const peer = await RawPeer.greeted();
  const fields = POST.map(([name, value]): [string, string] => [name, name === ':authority' ? 'http://a:1' : value]);
  await peer.send(headers(1, fields));
  expect(peer.streams.get(1)?.field(':authority')).toBe('http://a:1');
});
