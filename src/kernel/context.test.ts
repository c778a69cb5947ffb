import { describe, expect, it } from 'vitest';
import { childContext, createContext } from './context.ts';
import { createTestContext } from './test-context.ts';

describe('createContext', () => {
  it('uses the real clock and logs at the given verbosity', () => {
    const lines: string[] = [];
    const ctx = createContext({
      name: 'kubelet',
      logFormat: 'json',
      verbosity: 1,
      writeLog: (line) => void lines.push(line),
    });
    expect(Math.abs(ctx.clock.now() - Date.now())).toBeLessThan(1000);
    ctx.logger.v(1).info('Started');
    ctx.logger.v(2).info('Hidden');
    expect(lines.map((line) => (JSON.parse(line) as { logger: string }).logger)).toEqual(['kubelet']);
    expect(ctx.signal.aborted).toBe(false);
  });

  it('has name, stream and signal of a part', () => {
    const parent = createTestContext();
    const controller = new AbortController();
    const child = childContext(parent, 'dns', controller.signal);
    child.logger.info('Started');
    expect(parent.logLines[0]).toContain(' dns] "Started"');
    expect(child.signal).toBe(controller.signal);
    expect(child.clock).toBe(parent.clock);
    expect(childContext(parent, 'dns').random.next()).toBe(child.random.next());
  });
});

describe('createTestContext', () => {
  it('takes the same path in every run', async () => {
    const run = async (): Promise<string[]> => {
      const ctx = createTestContext({ seed: 5, startTime: 0 });
      const trace: string[] = [];
      const task = async (name: string): Promise<void> => {
        for (let i = 0; i < 10; i++) {
          await ctx.clock.sleep(ctx.random.integer(50));
          trace.push(`${name} ${ctx.clock.now()}`);
        }
      };
      await ctx.clock.drive(Promise.all([task('a'), task('b'), task('c')]));
      return trace;
    };
    expect(await run()).toEqual(await run());
  });

  it('starts at the given time and stops with its signal', () => {
    const ctx = createTestContext({ startTime: 77 });
    expect(ctx.clock.now()).toBe(77);
    ctx.stop(new Error('end'));
    expect(ctx.signal.reason).toEqual(new Error('end'));
  });
});
