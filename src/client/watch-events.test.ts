import { describe, expect, it } from 'vitest';
import type { WatchEvent } from './transport.ts';
import { WatchEvents } from './watch-events.ts';

const added = (name: string): WatchEvent<unknown> => ({ type: 'ADDED', object: { name } });

/** A watch of these events, and what happened to it. */
function watchOf(events: readonly (WatchEvent<unknown> | Error)[]) {
  const happened: string[] = [];
  async function* read(): AsyncIterable<WatchEvent<unknown>> {
    try {
      for (const event of events) {
        if (event instanceof Error) throw event;
        yield event;
      }
    } finally {
      happened.push('closed');
    }
  }
  const open = (): Promise<AsyncIterable<WatchEvent<unknown>>> => {
    happened.push('opened');
    return Promise.resolve(read());
  };
  const iterable = { [Symbol.asyncIterator]: () => new WatchEvents(open, (object) => ({ ...(object as object) })) };
  return { iterable, happened };
}

async function namesOf(iterable: AsyncIterable<WatchEvent<object>>, limit = Infinity): Promise<string[]> {
  const names: string[] = [];
  for await (const { object } of iterable) {
    names.push((object as { name: string }).name);
    if (names.length === limit) break;
  }
  return names;
}

describe('WatchEvents', () => {
  it('opens the watch with the first event and ends with it', async () => {
    const { iterable, happened } = watchOf([added('a'), added('b')]);
    const events = iterable[Symbol.asyncIterator]();
    expect(happened).toEqual([]);
    expect((await events.next()).value).toEqual(added('a'));
    expect((await events.next()).value).toEqual(added('b'));
    expect((await events.next()).done).toBe(true);
    expect((await events.next()).done).toBe(true);
    expect(happened).toEqual(['opened', 'closed']);
  });

  it('closes the watch when its reader stops', async () => {
    const { iterable, happened } = watchOf([added('a'), added('b')]);
    expect(await namesOf(iterable, 1)).toEqual(['a']);
    expect(happened).toEqual(['opened', 'closed']);
  });

  it('opens nothing for a reader that stops before the first event', async () => {
    const { iterable, happened } = watchOf([added('a')]);
    const events = iterable[Symbol.asyncIterator]();
    await events.return();
    expect((await events.next()).done).toBe(true);
    expect(happened).toEqual([]);
  });

  it('closes the watch when its reader stops while it opens', async () => {
    let opened!: (events: AsyncIterable<WatchEvent<unknown>>) => void;
    let closed = false;
    const opening = new Promise<AsyncIterable<WatchEvent<unknown>>>((resolve) => (opened = resolve));
    const events = new WatchEvents(() => opening, Object);
    const next = events.next();
    await events.return();
    const close = (): Promise<IteratorResult<WatchEvent<unknown>>> => {
      closed = true;
      return Promise.resolve({ value: undefined, done: true });
    };
    opened({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: close }) });
    expect((await next).done).toBe(true);
    expect(closed).toBe(true);
  });

  it('closes the watch and fails with the error that the server sends', async () => {
    const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };
    const { iterable, happened } = watchOf([added('a'), { type: 'ERROR', object: gone }, added('b')]);
    await expect(namesOf(iterable)).rejects.toMatchObject({ status: { reason: 'Expired' } });
    expect(happened).toEqual(['opened', 'closed']);
  });

  it('fails as the connection does, and ends', async () => {
    const { iterable } = watchOf([added('a'), new Error('broken')]);
    const events = iterable[Symbol.asyncIterator]();
    await events.next();
    await expect(events.next()).rejects.toThrow('broken');
    expect((await events.next()).done).toBe(true);
    const refused = new WatchEvents(() => Promise.reject(new Error('refused')), Object);
    await expect(refused.next()).rejects.toThrow('refused');
    expect((await refused.next()).done).toBe(true);
  });
});
