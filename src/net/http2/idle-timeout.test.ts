import { describe, expect, it } from 'vitest';
import * as f from './frames.ts';
import { data, frame, get, headers, OPTIONS, post, RawPeer } from './testing/peer.ts';

const OK = [':status', '200'];

describe('an idle connection', () => {
  it('is ended with a farewell after its time', async () => {
    const peer = await RawPeer.greeted();
    await peer.clock.advance(OPTIONS.idleMs - 1);
    expect(peer.ended).toBe(false);
    await peer.clock.advance(1);
    await peer.settle();
    expect([peer.ended, peer.codeOf(0)]).toEqual([true, f.ERROR.none]);
    await peer.clock.advance(1000);
    expect(peer.closed).toBe(1);
  });

  it('has all of its time after each request', async () => {
    const peer = await RawPeer.greeted();
    for (const stream of [1, 3, 5]) {
      await peer.clock.advance(OPTIONS.idleMs - 1);
      await peer.send(get(stream));
      peer.streams.get(stream)!.answer(OK, []);
      await peer.settle();
    }
    await peer.clock.advance(OPTIONS.idleMs - 1);
    expect(peer.ended).toBe(false);
    await peer.clock.advance(1);
    await peer.settle();
    expect(peer.of(0, f.GOAWAY)[0]!.payload.readUInt32BE()).toBe(5);
    expect(peer.ended).toBe(true);
  });

  it('is not kept by pings, nor by an incomplete header block', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(headers(1, [], 0));
    await peer.clock.advance(OPTIONS.idleMs / 2);
    const other = await RawPeer.greeted();
    await other.clock.advance(OPTIONS.idleMs / 2);
    await other.send(frame(f.PING, 0, 0, Buffer.alloc(8)));
    for (const each of [peer, other]) await each.clock.advance(OPTIONS.idleMs / 2 + 1000);
    expect([peer.closed, other.closed]).toEqual([1, 1]);
  });

  it('is kept by a long request', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(post(1), data(1, 'a'));
    await peer.clock.advance(10 * OPTIONS.idleMs);
    expect(peer.ended).toBe(false);
    const body = peer.streams.get(1)!.readBody(10);
    await peer.send(data(1, 'b', f.END_STREAM));
    expect(String(await body)).toBe('ab');
    peer.streams.get(1)!.answer(OK, []);
    await peer.settle();
    expect(peer.isComplete(1)).toBe(true);
    await peer.clock.advance(2 * OPTIONS.idleMs);
    expect(peer.closed).toBe(1);
  });
});

it.each([
  ['nothing', Buffer.alloc(0)],
  ['half a preface', f.PREFACE.subarray(0, 10)],
  ['no settings', f.PREFACE],
])('a peer that sends %s is not waited for', async (_, bytes) => {
  const peer = new RawPeer();
  await peer.send(bytes);
  await peer.clock.advance(OPTIONS.prefaceMs - 1);
  expect(peer.ended).toBe(false);
  await peer.clock.advance(1001);
  expect(peer.closed).toBe(1);
});

it('a closed connection has no timer', async () => {
  const peer = await RawPeer.greeted();
  peer.connection.destroy();
  await peer.settle();
  expect(peer.clock.pendingTimers).toBe(0);
});
