import { describe, expect, it } from 'vitest';
import { crashLoopMaxMs } from './back-off.ts';

describe('crashLoopBackOff.maxContainerRestartPeriod', () => {
  it.each([
    [undefined, 300_000],
    ['90s', 90_000],
    ['1m30s', 90_000],
    ['1.5s', 1500],
    ['300s', 300_000],
  ])('%s is %i ms', (configured, ms) => {
    expect(crashLoopMaxMs(configured)).toBe(ms);
  });

  it.each([
    ['999ms', /must be set between 1s and 300s/],
    ['10m', /got: 600 seconds/],
    ['soon', /invalid duration/],
  ])('%s is refused', (configured, message) => {
    expect(() => crashLoopMaxMs(configured)).toThrow(message);
  });
});
