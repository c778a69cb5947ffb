import { describe, expect, it } from 'vitest';
import * as f from './frames.ts';
import { data, get, post, RawPeer, reset, settings, windowUpdate } from './testing/peer.ts';

const { SETTING } = f;
const OK = [':status', '200'];
const MB = 1024 * 1024;

/** No two pieces of it are alike. */
function patterned(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i + 4 <= length; i += 4) bytes.writeUInt32BE(Math.imul(i, 2_654_435_761) >>> 0, i);
  return bytes;
}

describe('answers', () => {
  it('reach a peer with a tiny window whole', async () => {
    const peer = await RawPeer.greeted({}, [SETTING.initialWindowSize, 100]);
    await peer.send(get(1));
    const body = patterned(5000);
    peer.streams.get(1)!.answer(OK, [], body);
    await peer.settle();
    for (let got = 100; got < 5000; got += 100) {
      expect(peer.body(1)).toHaveLength(got);
      expect(peer.isComplete(1)).toBe(false);
      await peer.send(windowUpdate(1, 100));
    }
    expect(peer.body(1).equals(body)).toBe(true);
    expect(peer.isComplete(1)).toBe(true);
    expect(peer.streams.get(1)!.pendingBytes).toBe(0);
  });

  it('without a body need no window', async () => {
    const peer = await RawPeer.greeted({}, [SETTING.initialWindowSize, 0]);
    await peer.send(get(1), get(3));
    peer.streams.get(1)!.answer(OK, []);
    const stream = peer.streams.get(3)!;
    stream.begin(OK, []);
    stream.end();
    await peer.settle();
    expect([peer.isComplete(1), peer.isComplete(3)]).toEqual([true, true]);
  });

  it('follow a window that becomes smaller and larger on the way', async () => {
    const peer = await RawPeer.greeted({}, [SETTING.initialWindowSize, 1000]);
    await peer.send(get(1));
    const stream = peer.streams.get(1)!;
    const body = patterned(3000);
    stream.answer(OK, [], body);
    await peer.settle();
    expect(peer.body(1)).toHaveLength(1000);
    await peer.send(settings([SETTING.initialWindowSize, 200]));
    expect(stream.sendWindow).toBe(-800);
    await peer.send(windowUpdate(1, 800));
    expect(peer.body(1)).toHaveLength(1000);
    await peer.send(windowUpdate(1, 1));
    expect(peer.body(1)).toHaveLength(1001);
    await peer.send(settings([SETTING.initialWindowSize, 5000], [SETTING.initialWindowSize, 700]));
    expect(peer.body(1)).toHaveLength(1501);
    await peer.send(settings([SETTING.initialWindowSize, 100_000]));
    expect(peer.body(1).equals(body)).toBe(true);
    expect(peer.isComplete(1)).toBe(true);
  });

  it('with a negative window write nothing, not even empty pieces', async () => {
    const peer = await RawPeer.greeted({}, [SETTING.initialWindowSize, 10]);
    await peer.send(get(1));
    const stream = peer.streams.get(1)!;
    stream.begin(OK, []);
    stream.write(Buffer.alloc(10));
    await peer.send(settings([SETTING.initialWindowSize, 0]));
    stream.write(Buffer.alloc(0));
    stream.write(Buffer.alloc(1));
    stream.end();
    await peer.settle();
    expect(peer.body(1)).toHaveLength(10);
    await peer.send(windowUpdate(1, 11));
    expect(peer.body(1)).toHaveLength(11);
    expect(peer.isComplete(1)).toBe(true);
  });

  it('share the window of the connection', async () => {
    const peer = await RawPeer.greeted({}, [SETTING.initialWindowSize, MB]);
    await peer.send(get(1), get(3), get(5));
    const body = patterned(50_000);
    for (const stream of peer.streams.values()) stream.answer(OK, [], body);
    await peer.settle();
    const received = (): number[] => [1, 3, 5].map((id) => peer.body(id).length);
    expect(received()).toEqual([50_000, 15_535, 0]);
    // Whoever has had its turn stands at the end.
    await peer.send(windowUpdate(0, 10_000));
    expect(received()).toEqual([50_000, 25_535, 0]);
    await peer.send(windowUpdate(0, 10_000));
    expect(received()).toEqual([50_000, 25_535, 10_000]);
    await peer.send(reset(3));
    await peer.send(windowUpdate(0, MB));
    expect(peer.body(5).equals(body)).toBe(true);
    expect(peer.connection.sendWindow).toBe(65_535 + 20_000 + MB - 50_000 - 25_535 - 50_000);
  });

  it('that are small are not stuck behind a large one', async () => {
    const peer = await RawPeer.greeted({}, [SETTING.initialWindowSize, 100 * MB]);
    await peer.send(windowUpdate(0, 100 * MB));
    await peer.send(get(1), get(3));
    let before: number | undefined;
    peer.socket.on('data', () => {
      if (peer.isComplete(3)) before ??= peer.body(1).length;
    });
    peer.streams.get(1)!.answer(OK, [], Buffer.alloc(30 * MB));
    peer.streams.get(3)!.answer(OK, [], Buffer.from('small'));
    await peer.settle();
    expect(peer.body(1)).toHaveLength(30 * MB);
    expect(before).toBeLessThan(MB);
  });

  it('that are small do not wait for a large one that has the whole window', async () => {
    const peer = await RawPeer.greeted({}, [SETTING.initialWindowSize, 100 * MB]);
    await peer.send(get(1), get(3));
    peer.streams.get(1)!.answer(OK, [], Buffer.alloc(10 * MB));
    await peer.settle();
    peer.streams.get(3)!.answer(OK, [], Buffer.from('small'));
    await peer.send(windowUpdate(0, 20_000));
    await peer.send(windowUpdate(0, 20_000));
    expect(peer.isComplete(3)).toBe(true);
    expect(peer.body(1).length).toBeGreaterThan(100_000);
  });

  it('take equal turns', async () => {
    const peer = await RawPeer.greeted({}, [SETTING.initialWindowSize, MB]);
    await peer.send(get(1), get(3), get(5));
    for (const stream of peer.streams.values()) stream.answer(OK, [], Buffer.alloc(MB));
    for (let i = 0; i < 30; i++) await peer.send(windowUpdate(0, 16_384));
    const received = [1, 3, 5].map((id) => peer.body(id).length);
    // The first had the window that there was in the beginning.
    expect(received[0]! - 65_535).toBeLessThanOrEqual(11 * 16_384);
    expect(Math.min(received[1]!, received[2]!)).toBeGreaterThanOrEqual(9 * 16_384);
  });

  it('that a peer resets are ended, and do not affect others', async () => {
    const peer = await RawPeer.greeted({}, [SETTING.initialWindowSize, 1000]);
    await peer.send(get(1), get(3));
    const stream = peer.streams.get(1)!;
    const closings: boolean[] = [];
    let taken = 0;
    stream.onClose((complete) => closings.push(complete));
    stream.begin(OK, []);
    for (let i = 0; i < 5; i++) stream.write(Buffer.alloc(400), () => taken++);
    await peer.settle();
    expect(taken).toBe(2);
    await peer.send(reset(1));
    expect([taken, closings, stream.closed, stream.pendingBytes]).toEqual([5, [false], true, 0]);
    stream.write(Buffer.alloc(10), () => taken++);
    stream.end();
    stream.reset(f.ERROR.internal);
    await peer.send(windowUpdate(1, 1000));
    expect(taken).toBe(6);
    expect(peer.body(1)).toHaveLength(1000);
    expect(peer.of(1, f.RST_STREAM)).toEqual([]);
    peer.streams.get(3)!.answer(OK, [], Buffer.alloc(1000));
    await peer.settle();
    expect(peer.isComplete(3)).toBe(true);
  });

  it('whose writer continues when a piece is sent arrive in order', async () => {
    const peer = await RawPeer.greeted({}, [SETTING.initialWindowSize, 100]);
    await peer.send(get(1));
    const stream = peer.streams.get(1)!;
    let next = 0;
    const write = (): void => {
      if (next === 20) stream.end(Buffer.from('end'));
      else stream.write(Buffer.from(`${next++} `), write);
    };
    stream.begin(OK, []);
    write();
    await peer.send(windowUpdate(1, 100));
    expect(String(peer.body(1))).toBe(`${Array.from({ length: 20 }, (_, i) => `${i} `).join('')}end`);
    expect(peer.isComplete(1)).toBe(true);
  });
});

describe('a peer that does not read', () => {
  it('is not written to without end', async () => {
    const peer = await RawPeer.greeted({ maxConcurrentStreams: 100 }, [SETTING.initialWindowSize, 100 * MB]);
    await peer.send(windowUpdate(0, 1000 * MB));
    peer.socket.pause();
    await peer.send(...Array.from({ length: 20 }, (_, i) => get(2 * i + 1)));
    const body = patterned(5 * MB);
    for (const stream of peer.streams.values()) stream.answer(OK, [], body);
    await peer.settle();
    expect(peer.serverSocket.writableLength).toBeLessThan(MB);
    peer.socket.resume();
    await peer.settle();
    for (const id of peer.streams.keys()) expect(peer.body(id).equals(body)).toBe(true);
  });

  it('is not read from either', async () => {
    const peer = await RawPeer.greeted();
    peer.socket.pause();
    const pings = Buffer.concat(
      Array.from({ length: 1000 }, () => Buffer.from('0000080600000000000102030405060708', 'hex')),
    );
    for (let i = 0; i < 400; i++) peer.socket.write(pings);
    await peer.settle();
    expect(peer.serverSocket.isPaused()).toBe(true);
    expect(peer.serverSocket.writableLength).toBeLessThan(5 * MB);
    expect(peer.socket.writableLength).toBeGreaterThan(MB);
    peer.socket.resume();
    await peer.settle();
    expect(peer.of(0, f.PING)).toHaveLength(400_000);
  });
});

describe('bodies', () => {
  const STREAM_WINDOW = 100_000;
  const CONNECTION_WINDOW = 300_000;
  const greeted = (): Promise<RawPeer> =>
    RawPeer.greeted({ streamWindow: STREAM_WINDOW, connectionWindow: CONNECTION_WINDOW });
  const given = (peer: RawPeer, stream: number): number =>
    peer.of(stream, f.WINDOW_UPDATE).reduce((sum, { payload }) => sum + payload.readUInt32BE(), 0);

  it('that are large get more window as they are read', async () => {
    const peer = await greeted();
    await peer.send(post(1));
    const read = peer.streams.get(1)!.readBody(10 * MB);
    const body = patterned(2 * MB);
    for (let sent = 0; sent < body.length; sent += 10_000) {
      // It never has to wait, nor the connection.
      expect(STREAM_WINDOW + given(peer, 1) - sent).toBeGreaterThanOrEqual(10_000);
      expect(65_535 + given(peer, 0) - sent).toBeGreaterThanOrEqual(10_000);
      await peer.send(data(1, body.subarray(sent, sent + 10_000)));
    }
    await peer.send(data(1, '', f.END_STREAM));
    expect((await read).equals(body)).toBe(true);
    expect(peer.codeOf(1)).toBeUndefined();
    expect(given(peer, 1)).toBeLessThanOrEqual(body.length);
  });

  it('that are not read get no more window', async () => {
    const peer = await greeted();
    await peer.send(post(1), ...Array.from({ length: 10 }, () => data(1, Buffer.alloc(10_000, 'x'))));
    expect(given(peer, 1)).toBe(0);
    expect(given(peer, 0)).toBe(CONNECTION_WINDOW - 65_535);
    const read = peer.streams.get(1)!.readBody(MB);
    await peer.settle();
    expect(given(peer, 1)).toBe(100_000);
    await peer.send(data(1, 'y', f.END_STREAM));
    expect(await read).toHaveLength(100_001);
  });

  it('that are padded give back the padding', async () => {
    const peer = await greeted();
    await peer.send(post(1));
    const read = peer.streams.get(1)!.readBody(MB);
    const padded = Buffer.concat([Buffer.from([255, 0x78]), Buffer.alloc(255)]);
    for (let i = 0; i < 2000; i++) peer.socket.write(Buffer.concat([Buffer.from('000101000800000001', 'hex'), padded]));
    await peer.settle();
    await peer.send(data(1, '', f.END_STREAM));
    expect(String(await read)).toBe('x'.repeat(2000));
    expect(given(peer, 1)).toBeGreaterThan(2000 * 257 - STREAM_WINDOW);
  });

  it.each([
    ['that are answered unread', (peer: RawPeer) => peer.streams.get(1)!.answer(OK, [])],
    ['that are reset', (peer: RawPeer) => peer.streams.get(1)!.reset(f.ERROR.internal)],
    ['that are reset by the peer', (peer: RawPeer) => void peer.socket.write(reset(1))],
  ])('%s give the connection its window back', async (_name, finish) => {
    const peer = await greeted();
    await peer.send(post(1), ...Array.from({ length: 10 }, () => data(1, Buffer.alloc(10_000))));
    finish(peer);
    await peer.send(post(3), ...Array.from({ length: 10 }, () => data(3, Buffer.alloc(10_000))));
    const before = given(peer, 0);
    peer.streams.get(3)!.answer(OK, []);
    await peer.settle();
    expect(before + given(peer, 0)).toBeGreaterThan(2 * (CONNECTION_WINDOW - 65_535) + 150_000 - 1);
  });

  it('of closed streams do not use up the window', async () => {
    const peer = await greeted();
    await peer.send(post(1));
    peer.streams.get(1)!.reset(f.ERROR.internal);
    for (let i = 0; i < 100; i++) await peer.send(data(1, Buffer.alloc(10_000)));
    expect(peer.codeOf(0)).toBeUndefined();
    expect(peer.of(1)).toHaveLength(1);
  });
});
