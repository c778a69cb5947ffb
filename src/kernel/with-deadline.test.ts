import { describe, expect, it } from 'vitest';
import { DeadlineExceeded } from './clock.ts';
import { createTestContext } from './test-context.ts';
import { withDeadline } from './with-deadline.ts';

const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }));

describe('a deadline', () => {
  it('ends with the work', async () => {
    const { clock } = createTestContext();
    expect(await withDeadline({ clock, ms: 1e9 }, () => Promise.resolve('done'))).toBe('done');
    await expect(withDeadline({ clock, ms: 1e9 }, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends the work', async () => {
    const { clock } = createTestContext();
    const work = withDeadline({ clock, ms: 1000 }, aborted);
    await clock.advance(1000);
    expect(await work).toBeInstanceOf(DeadlineExceeded);
  });

  it('ends with its parent', async () => {
    const { clock } = createTestContext();
    const parent = new AbortController();
    const work = withDeadline({ clock, ms: 1000, parent: parent.signal }, aborted);
    parent.abort('stop');
    expect([await work, clock.pendingTimers]).toEqual(['stop', 0]);
  });
});
