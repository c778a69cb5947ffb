import { describe, expect, it } from 'vitest';
import { LatestRevision } from './latest-revision.ts';

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
    expect(new LatestRevision({ revision: () => 7 }).ask()).toBe(7);
  });

  it('gives a read that comes during a question the answer to the next one', async () => {
    const store = slowStore();
    const latest = new LatestRevision(store);
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
    const latest = new LatestRevision(store);
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
});
