import { describe, expect, it } from 'vitest';
import { untilAborted, WakeUp } from './index.ts';

async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe('WakeUp', () => {
  it('ends a wait, and does not remember a wake-up that nobody waited for', async () => {
    const wakeUp = new WakeUp();
    const { signal } = new AbortController();
    wakeUp.wake();
    const waiting = wakeUp.wait(signal);
    expect(await isSettled(waiting)).toBe(false);
    wakeUp.wake();
    expect(await isSettled(waiting)).toBe(true);
    expect(await isSettled(wakeUp.wait(signal))).toBe(false);
  });

  it.each(['while it waits', 'before'])('ends a wait when the signal aborts %s', async (when) => {
    const stop = new AbortController();
    if (when === 'before') stop.abort();
    const waiting = new WakeUp().wait(stop.signal);
    stop.abort();
    expect(await isSettled(waiting)).toBe(true);
  });
});

describe('untilAborted', () => {
  it('resolves when the signal aborts, and when it has', async () => {
    const stop = new AbortController();
    const waiting = untilAborted(stop.signal);
    expect(await isSettled(waiting)).toBe(false);
    stop.abort();
    expect(await isSettled(waiting)).toBe(true);
    expect(await isSettled(untilAborted(stop.signal))).toBe(true);
  });
});
