import { describe, expect, it } from 'vitest';
import { whenDone } from './when-done.ts';

describe('whenDone', () => {
  it('continues at once with a value', () => {
    expect(whenDone(2, (n) => n + 1)).toBe(3);
  });

  it('continues after a promise', async () => {
    const result = whenDone(Promise.resolve(2), (n) => n + 1);
    expect(result).toBeInstanceOf(Promise);
    await expect(result).resolves.toBe(3);
  });

  it('waits for the promise of the next step', async () => {
    await expect(whenDone(2, (n) => Promise.resolve(n + 1))).resolves.toBe(3);
    await expect(whenDone(Promise.resolve(2), (n) => Promise.resolve(n + 1))).resolves.toBe(3);
  });

  it('passes failures on', async () => {
    const fail = (): never => {
      throw new Error('failed');
    };
    expect(() => whenDone(2, fail)).toThrow('failed');
    await expect(whenDone(Promise.resolve(2), fail)).rejects.toThrow('failed');
    await expect(whenDone(Promise.reject(new Error('first')), fail)).rejects.toThrow('first');
  });
});
