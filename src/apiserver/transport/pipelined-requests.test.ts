import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { RealClock } from '../../kernel/index.ts';
import { PipelinedRequests } from './pipelined-requests.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('requests that a client sends without waiting', () => {
  it('are served one after the other, in their order', async () => {
    const pipelined = new PipelinedRequests(new RealClock());
    const socket = new PassThrough();
    const events: string[] = [];
    const serve = (name: string) => async (): Promise<void> => {
      events.push(`${name} begins`);
      await nextTurn();
      events.push(`${name} ends`);
    };
    for (const name of ['a', 'b', 'c']) pipelined.add(socket, serve(name));
    expect(events).toEqual(['a begins']);
    await expect.poll(() => events).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('let other connections run in between', async () => {
    const pipelined = new PipelinedRequests(new RealClock());
    const socket = new PassThrough();
    let served = 0;
    for (let i = 0; i < 1000; i++) pipelined.add(socket, () => Promise.resolve(void served++));
    const before = served;
    await nextTurn();
    await nextTurn();
    expect(served - before).toBeLessThan(10);
    await expect.poll(() => served, { timeout: 10_000 }).toBe(1000);
  });

  it('are read further only when earlier requests have been served', async () => {
    const pipelined = new PipelinedRequests(new RealClock());
    const socket = new PassThrough();
    socket.resume();
    let finish = (): void => {};
    pipelined.add(socket, () => new Promise((resolve) => (finish = resolve)));
    expect(socket.isPaused()).toBe(false);
    pipelined.add(socket, () => Promise.resolve());
    expect(socket.isPaused()).toBe(true);
    finish();
    await expect.poll(() => socket.isPaused()).toBe(false);
    // The connection is at rest again: the next request begins at once.
    let begun = false;
    pipelined.add(socket, () => Promise.resolve(void (begun = true)));
    expect(begun).toBe(true);
  });

  it('are forgotten when the connection closes', async () => {
    const pipelined = new PipelinedRequests(new RealClock());
    const socket = new PassThrough();
    let served = 0;
    let finish = (): void => {};
    pipelined.add(socket, () => new Promise((resolve) => (finish = resolve)));
    for (let i = 0; i < 10; i++) pipelined.add(socket, () => Promise.resolve(void served++));
    socket.destroy();
    finish();
    await nextTurn();
    await nextTurn();
    expect(served).toBe(0);
  });
});
