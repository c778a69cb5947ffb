import { describe, expect, it } from 'vitest';
import { RealClock } from '../../kernel/index.ts';
import { fairTurn } from './fair-turns.ts';

describe('fair turns', () => {
  it('yield to others with work', async () => {
    const clock = new RealClock();
    const order: string[] = [];
    const worker = async (name: string): Promise<void> => {
      for (let i = 0; i < 2; i++) {
        await fairTurn(clock);
        order.push(name);
      }
    };
    const bystander = async (): Promise<void> => {
      for (let i = 0; i < 4; i++) {
        await clock.yield();
        order.push('-');
      }
    };
    await Promise.all([worker('a'), worker('b'), bystander()]);
    // Never two pieces of work without a turn of the bystander between them.
    expect(order.join('').replaceAll('-', ' ').trim().split(/ +/)).toEqual(['a', 'b', 'a', 'b']);
  });
});
