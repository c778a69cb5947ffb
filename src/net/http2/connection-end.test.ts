import { describe, expect, it } from 'vitest';
import * as f from './frames.ts';
import { data, frame, get, headers, post, RawPeer, settings, windowUpdate } from './testing/peer.ts';

const { ERROR, SETTING } = f;
const OK = [':status', '200'];
const cutOff = { reason: 'CutOff' };

describe('a connection that closes', () => {
  it('sends GOAWAY, and ends when no stream is open', async () => {
    const peer = await RawPeer.greeted();
    peer.connection.close();
    peer.connection.close();
    await peer.settle();
    expect(peer.of(0, f.GOAWAY)).toHaveLength(1);
    expect(peer.codeOf(0)).toBe(ERROR.none);
    expect(peer.ended).toBe(true);
    peer.socket.end();
    await peer.settle();
    expect(peer.closed).toBe(1);
  });

  it('finishes open streams, and accepts no new ones', async () => {
    const peer = await RawPeer.greeted({}, [SETTING.initialWindowSize, 100]);
    await peer.send(get(1), post(3));
    peer.connection.close();
    // What was on its way before the farewell was heard is refused, with all that belongs to it.
    await peer.send(
      post(5),
      data(5, 'body'),
      windowUpdate(5, 10),
      headers(5, [['x', 'y']], f.END_HEADERS | f.END_STREAM),
      get(7),
    );
    expect(peer.of(0, f.GOAWAY)[0]!.payload.readUInt32BE()).toBe(3);
    expect([peer.codeOf(5), peer.codeOf(7)]).toEqual([ERROR.refusedStream, ERROR.refusedStream]);
    expect([...peer.streams.keys()]).toEqual([1, 3]);
    expect(peer.ended).toBe(false);

    peer.streams.get(1)!.answer(OK, [], Buffer.alloc(150));
    const body = peer.streams.get(3)!.readBody(100);
    await peer.send(windowUpdate(1, 100), data(3, 'late', f.END_STREAM));
    expect(peer.isComplete(1)).toBe(true);
    expect(String(await body)).toBe('late');
    expect(peer.ended).toBe(false);
    peer.streams.get(3)!.answer(OK, []);
    await peer.settle();
    expect(peer.isComplete(3)).toBe(true);
    expect(peer.ended).toBe(true);
    expect(peer.of(0, f.GOAWAY)).toHaveLength(1);
  });

  it('names no higher stream in a second farewell', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(get(1));
    peer.connection.close();
    await peer.send(get(3), windowUpdate(0, 0));
    expect(peer.of(0, f.GOAWAY).map(({ payload }) => [payload.readUInt32BE(), payload.readUInt32BE(4)])).toEqual([
      [1, ERROR.none],
      [1, ERROR.protocol],
    ]);
  });

  it('ignores frames after its end', async () => {
    const peer = await RawPeer.greeted();
    peer.connection.close();
    await peer.settle();
    await peer.send(get(1), frame(f.PING, 0, 0, Buffer.alloc(8)), settings());
    expect(peer.streams.size).toBe(0);
    expect(peer.closed).toBe(0);
    peer.socket.end();
    await peer.settle();
    expect(peer.closed).toBe(1);
  });

  it('may not have begun', async () => {
    const peer = new RawPeer();
    peer.connection.close();
    await peer.settle();
    expect(peer.codeOf(0)).toBe(ERROR.none);
    expect(peer.ended).toBe(true);
  });
});

describe('a connection that leaves', () => {
  it('sends what was written, and nothing more', async () => {
    const peer = await RawPeer.greeted({}, [SETTING.initialWindowSize, 100]);
    await peer.send(get(1), get(3), post(5));
    const body = expect(peer.streams.get(5)!.readBody(100)).rejects.toMatchObject(cutOff);
    peer.streams.get(1)!.answer(OK, [], Buffer.from('whole'));
    peer.streams.get(3)!.answer(OK, [], Buffer.alloc(1000));
    await Promise.all([peer.connection.leave(), body]);
    await peer.settle();
    expect(String(peer.body(1))).toBe('whole');
    expect(peer.isComplete(1)).toBe(true);
    expect(peer.isComplete(3)).toBe(false);
    expect(peer.ended).toBe(true);
    expect(peer.closed).toBe(1);
    await peer.connection.leave();
  });

  it('does not wait for a peer that does not read', async () => {
    const peer = await RawPeer.greeted({}, [SETTING.initialWindowSize, 1_000_000]);
    await peer.send(get(1), windowUpdate(0, 1_000_000));
    peer.socket.pause();
    peer.streams.get(1)!.answer(OK, [], Buffer.alloc(500_000));
    await peer.settle();
    const left = peer.connection.leave();
    await peer.settle();
    expect(peer.closed).toBe(0);
    await peer.clock.advance(1000);
    await left;
    expect(peer.closed).toBe(1);
  });
});

describe('a peer that disconnects', () => {
  it('in the middle of a body cuts it off', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(post(1), data(1, 'half'), post(3, ['content-length', '4']), data(3, 'half'));
    const whole = await peer.streams.get(3)!.readBody(100);
    const body = expect(peer.streams.get(1)!.readBody(100)).rejects.toMatchObject(cutOff);
    const closings: boolean[] = [];
    for (const stream of peer.streams.values()) stream.onClose((complete) => closings.push(complete));
    peer.socket.destroy();
    await peer.settle();
    await body;
    expect(String(whole)).toBe('half');
    expect(closings).toEqual([false, false]);
    expect(peer.closed).toBe(1);
    await expect(peer.streams.get(1)!.readBody(100)).rejects.toMatchObject(cutOff);
    peer.streams.get(1)!.answer(OK, [], Buffer.from('nobody hears it'));
  });

  it('after half-closing still gets its responses', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(get(1), post(3));
    const body = expect(peer.streams.get(3)!.readBody(100)).rejects.toMatchObject(cutOff);
    peer.socket.end();
    await peer.settle();
    await body;
    expect(peer.ended).toBe(false);
    peer.streams.get(1)!.answer(OK, [], Buffer.from('answer'));
    await peer.settle();
    expect(String(peer.body(1))).toBe('answer');
    expect(peer.ended).toBe(true);
    expect(peer.closed).toBe(1);
  });

  it('in the middle of a frame, or of the preface', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(get(1).subarray(0, 12));
    peer.socket.end();
    const other = new RawPeer();
    await other.send(f.PREFACE.subarray(0, 5));
    other.socket.end();
    await other.settle();
    expect([peer.closed, other.closed]).toEqual([1, 1]);
    expect(peer.streams.size).toBe(0);
  });

  it('with an error', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(get(1));
    peer.serverSocket.destroy(new Error('connection reset'));
    await peer.settle();
    expect(peer.closed).toBe(1);
    expect(peer.streams.get(1)!.closed).toBe(true);
  });
});

describe('a listener', () => {
  it('may end the connection in the request listener', async () => {
    const peer = await RawPeer.greeted({ begin: () => peer.connection.destroy() });
    await peer.send(get(1), get(3));
    expect([...peer.streams.keys()]).toEqual([1]);
    expect(peer.closed).toBe(1);
  });

  it('is notified once that a stream is closed', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(get(1));
    const heard: string[] = [];
    const stream = peer.streams.get(1)!;
    stream.onClose((complete) => heard.push(`one ${complete}`));
    stream.onClose((complete) => heard.push(`two ${complete}`));
    stream.answer(OK, []);
    stream.close();
    peer.connection.destroy();
    expect(heard).toEqual(['one true', 'two true']);
  });
});
