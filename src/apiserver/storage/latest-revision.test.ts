import { describe, expect, it } from 'vitest';
import { RealClock, VirtualClock } from '../../kernel/index.ts';
import { LatestRevision } from './latest-revision.ts';

const clock = new RealClock();

/** A store whose answers come when the test says so; each is the revision at the time of the question. */
function slowStore() {
  const questions: { answer(): void; fail(): void }[] = [];
  const store = {
    current: 1,
    questions,
    revision: (): Promise<number> => {
      const atQuestion = store.current;
      return new Promise((resolve, reject) =>
        questions.push({ answer: () => resolve(atQuestion), fail: () => reject(new Error('no leader')) }),
      );
    },
  };
  return store;
}

describe('LatestRevision', () => {
  it('answers at once where the store does', () => {
    expect(new LatestRevision({ revision: () => 7 }, clock).ask()).toBe(7);
  });

  it('gives a read that comes during a question the answer to the next one', async () => {
    const store = slowStore();
    const latest = new LatestRevision(store, clock);
    const first = latest.ask();
    store.current = 5;
    const later = [latest.ask(), latest.ask(), latest.ask()];
    expect(store.questions).toHaveLength(1);
    store.questions[0]!.answer();
    expect(await first).toBe(1);
    await expect.poll(() => store.questions.length).toBe(2);
    expect(store.questions).toHaveLength(2);
    store.questions[1]!.answer();
    for (const answer of later) expect(await answer).toBe(5);
  });

  it('asks again after a question has failed', async () => {
    const store = slowStore();
    const latest = new LatestRevision(store, clock);
    const first = latest.ask();
    const second = latest.ask();
    store.questions[0]!.fail();
    await expect(first).rejects.toThrow('no leader');
    await expect.poll(() => store.questions.length).toBe(2);
    store.questions[1]!.answer();
    expect(await second).toBe(1);
    void latest.ask();
    expect(store.questions).toHaveLength(3);
    store.questions[2]!.answer();
  });

  describe('under load', () => {
    const settle = async (): Promise<void> => {
      for (let i = 0; i < 10; i++) await Promise.resolve();
    };

    it.each([
      ['one read', 1, 2],
      ['many reads', 10, 1],
    ])('with %s at the last question', async (_, reads, asked) => {
      const virtual = new VirtualClock();
      const store = slowStore();
      const latest = new LatestRevision(store, virtual);
      void latest.ask();
      const shared = Array.from({ length: reads }, () => latest.ask());
      store.questions[0]!.answer();
      await settle();
      expect(store.questions).toHaveLength(2);
      store.questions[1]!.answer();
      for (const answer of shared) expect(await answer).toBe(1);
      // The next read comes at once: it asks at once, or waits for others.
      store.current = 9;
      const next = latest.ask();
      const later = latest.ask();
      await settle();
      expect(store.questions).toHaveLength(reads === 1 ? 3 : 2);
      await virtual.advance(5);
      await settle();
      expect(store.questions).toHaveLength(3);
      store.questions[2]!.answer();
      expect(await next).toBe(9);
      await settle();
      expect(store.questions).toHaveLength(2 + asked);
      store.questions[3]?.answer();
      expect(await later).toBe(9);
    });
  });
});
