import { describe, expect, it } from 'vitest';
import { createTestContext } from '../../kernel/index.ts';
import { put } from '../contract/fixture.ts';
import { createMemoryStore } from '../memory.ts';
import { type AutoCompaction, runAutoCompaction } from './auto-compaction.ts';

const MINUTE = 60_000;

async function compactedAfter(
  policy: AutoCompaction,
  minutes: number,
): Promise<{ compactRevision: number; revision: number }> {
  const ctx = createTestContext();
  const store = createMemoryStore({ clock: ctx.clock });
  const running = runAutoCompaction(ctx, store, policy);
  // One write a minute: the revision is the minute, plus one.
  for (let i = 0; i < minutes; i++) {
    await put(store, 'k', String(i));
    await ctx.clock.advance(MINUTE);
  }
  ctx.stop();
  await running;
  const { compactRevision, revision } = await store.status();
  await store.close();
  return { compactRevision, revision };
}

describe('automatic compaction', () => {
  it('keeps the revisions of the retention period', async () => {
    const { compactRevision, revision } = await compactedAfter({ mode: 'periodic', retentionMs: 60 * MINUTE }, 120);
    expect(revision - compactRevision).toBeGreaterThanOrEqual(60);
    expect(revision - compactRevision).toBeLessThanOrEqual(70);
  });

  it('does nothing in the first period', async () => {
    expect((await compactedAfter({ mode: 'periodic', retentionMs: 60 * MINUTE }, 59)).compactRevision).toBe(0);
  });

  it('keeps a number of revisions', async () => {
    const { compactRevision, revision } = await compactedAfter({ mode: 'revision', revisions: 20 }, 61);
    expect(revision - compactRevision).toBeGreaterThanOrEqual(20);
    expect(revision - compactRevision).toBeLessThanOrEqual(25);
  });
});
