import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createTestContext } from '../../kernel/index.ts';
import { joinConnections, LINGER_MS } from './join-connections.ts';

/** A connection whose peer takes bytes when the test says so. */
class Peer extends Duplex {
  taken = '';
  readonly #waiting: (() => void)[] = [];

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#waiting.push(() => {
      this.taken += bytes.toString();
      done();
    });
  }

  /** The peer sends, and ends when it sends nothing more. */
  sends(...texts: readonly string[]): void {
    for (const text of texts) this.push(text);
  }

  ends(): void {
    this.push(null);
  }

  async takesAll(): Promise<string> {
    await turn();
    while (this.#waiting.length > 0) {
      this.#waiting.shift()!();
      await turn();
    }
    return this.taken;
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function joined() {
  const ctx = createTestContext();
  const [client, backend] = [new Peer(), new Peer()];
  const stopping = new AbortController();
  joinConnections(client, backend, { clock: ctx.clock, signal: stopping.signal });
  return { ctx, client, backend, stopping };
}

describe.each([
  ['the client', 'client', 'backend'],
  ['the backend', 'backend', 'client'],
] as const)('when %s ends', (_, ending, other) => {
  it('the other receives the data in flight, and then the end', async () => {
    const { [ending]: from, [other]: to } = joined();
    from.sends('data', ' close frame');
    from.ends();
    await turn();
    expect([to.destroyed, to.writableFinished]).toEqual([false, false]);
    expect(await to.takesAll()).toBe('data close frame');
    expect([to.destroyed, to.writableFinished]).toEqual([false, true]);
  });

  it('the other may answer', async () => {
    const { [ending]: from, [other]: to } = joined();
    from.ends();
    await turn();
    to.sends('last words');
    to.ends();
    expect(await from.takesAll()).toBe('last words');
    await turn();
    expect([from.destroyed, to.destroyed]).toEqual([true, true]);
  });

  it('both are closed after a while, although the other reads nothing and keeps sending', async () => {
    const { ctx, [ending]: from, [other]: to } = joined();
    from.sends('data');
    from.ends();
    await turn();
    to.sends('more');
    await ctx.clock.advance(LINGER_MS - 1);
    expect(to.destroyed).toBe(false);
    await ctx.clock.advance(1);
    expect([from.destroyed, to.destroyed]).toEqual([true, true]);
  });

  it('after an error, the other receives the data that arrived', async () => {
    const { [ending]: from, [other]: to } = joined();
    from.sends('data');
    await turn();
    from.destroy(new Error('reset'));
    expect(await to.takesAll()).toBe('data');
    expect(to.writableFinished).toBe(true);
  });
});

it('a side that does not read stops the other', async () => {
  const { client, backend } = joined();
  const piece = 'x'.repeat(10_000);
  for (let i = 0; i < 10; i++) {
    backend.sends(piece);
    await turn();
  }
  expect(backend.isPaused()).toBe(true);
  // The piece that reaches the high-water mark is still written.
  expect(client.writableLength).toBeLessThan(client.writableHighWaterMark + piece.length);
  expect((await client.takesAll()).length).toBe(10 * piece.length);
  expect(backend.isPaused()).toBe(false);
});

it('both end at once when the server stops', () => {
  const { client, backend, stopping } = joined();
  stopping.abort();
  expect([client.destroyed, backend.destroyed]).toEqual([true, true]);
});
