import { describe, expect, it } from 'vitest';
import { createTestContext } from '../../kernel/index.ts';
import { PendingChanges } from './pending-changes.ts';

const LIMIT_MS = 5000;

describe('pending changes', () => {
  const setUp = () => {
    const { clock, signal } = createTestContext();
    const changes = new PendingChanges(clock);
    const next = async (): Promise<number> => {
      const from = clock.monotonic();
      await changes.next(signal, LIMIT_MS);
      return clock.monotonic() - from;
    };
    return { clock, changes, next };
  };

  it('are not lost when they come while the loop is busy, and are handed out once', async () => {
    const { clock, changes, next } = setUp();
    changes.note();
    changes.note();
    expect(await next()).toBe(0);
    const waiting = next();
    await clock.advance(LIMIT_MS);
    expect(await waiting).toBe(LIMIT_MS);
  });

  it('end the wait of the loop', async () => {
    const { clock, changes, next } = setUp();
    const waiting = next();
    await clock.advance(100);
    changes.note();
    expect(await waiting).toBe(100);
  });
});
