import { beforeEach, describe, expect, it } from 'vitest';
import { createTestContext } from '../../kernel/index.ts';
import type { Sending } from '../request/request.ts';
import { SendBudget } from './send-budget.ts';

const LIMITS = { connectionBytes: 1000, serverBytes: 2000, responseMs: 60_000 };

let clock: ReturnType<typeof createTestContext>['clock'];
let budget: SendBudget;
let ended: string[];
beforeEach(() => {
  ({ clock } = createTestContext());
  budget = new SendBudget(clock, LIMITS);
  ended = [];
});

function begin(name: string, connection: object, expiresAt?: number): Sending {
  return budget.begin({ connection, expiresAt, end: () => ended.push(name) });
}

describe('responses that wait for slow clients', () => {
  it('are counted until they are sent, or aborted', () => {
    const connection = {};
    const one = begin('one', connection);
    one.wrote(300);
    one.took(100);
    const other = begin('other', {});
    other.wrote(50);
    expect(budget.waitingBytes).toBe(250);
    one.finished();
    one.finished();
    one.took(200);
    one.wrote(7);
    expect(budget.waitingBytes).toBe(50);
    other.took(50);
    expect(budget.waitingBytes).toBe(0);
    expect(ended).toEqual([]);
  });

  it.each([
    { name: 'a connection', connections: 1, most: LIMITS.connectionBytes },
    { name: 'the server', connections: 10, most: LIMITS.serverBytes },
  ])('over the budget of $name, the slowest answers are ended', async ({ connections, most }) => {
    const keys = Array.from({ length: connections }, () => ({}));
    const sendings = Array.from({ length: 10 }, (_, i) => begin(`answer ${i}`, keys[i % connections]!));
    for (const sending of sendings) {
      sending.wrote(most / 10);
      await clock.advance(1000);
    }
    expect(ended).toEqual([]);
    // The first one reads, if slowly: it is no longer among those that have waited longest.
    sendings[0]!.took(most / 10);
    sendings[0]!.wrote(most / 5);
    expect(ended).toEqual(['answer 1']);
    expect(budget.waitingBytes).toBe(most);
  });

  it('a client that reads a little now and then is as slow as its oldest unsent bytes', async () => {
    const trickle = begin('trickle', {});
    trickle.wrote(900);
    const other = begin('other', {});
    for (let i = 0; i < 5; i++) {
      await clock.advance(1000);
      trickle.took(1);
    }
    other.wrote(900);
    await clock.advance(2500);
    begin('third', {}).wrote(900);
    expect(ended).toEqual(['trickle']);
  });

  it('spares responses that have not waited for long, unless the budget is far exceeded', () => {
    const all = Array.from({ length: 5 }, (_, i) => begin(`answer ${i}`, {}));
    for (const sending of all.slice(0, 4)) sending.wrote(999);
    expect(ended).toEqual([]);
    all[4]!.wrote(999);
    expect(ended.length).toBeGreaterThan(0);
    expect(budget.waitingBytes).toBeLessThanOrEqual(2 * LIMITS.serverBytes);
  });

  it('ends an answer at its time, unless it is over by then', async () => {
    const at = clock.monotonic() + 5000;
    begin('late', {}, at).wrote(1);
    begin('never written', {}, at);
    begin('over', {}, at).finished();
    begin('watch', {}).wrote(1);
    await clock.advance(4999);
    expect(ended).toEqual([]);
    await clock.advance(2);
    expect(ended).toEqual(['late', 'never written']);
  });

  describe('whether it is full', () => {
    it('for a connection, not for others', () => {
      const connection = {};
      begin('one', connection).wrote(800);
      expect(budget.isFull(connection)).toBe(true);
      expect(budget.isFull({})).toBe(false);
    });

    it('for all when the server is', () => {
      for (let i = 0; i < 3; i++) begin(`answer ${i}`, {}).wrote(600);
      expect(budget.isFull({})).toBe(true);
    });

    it('no longer once the slow ones have been ended', async () => {
      for (let i = 0; i < 3; i++) begin(`answer ${i}`, {}).wrote(600);
      await clock.advance(3000);
      expect(budget.isFull({})).toBe(false);
      expect(ended).toEqual(['answer 0']);
    });
  });
});
