import { describe, expect, it } from 'vitest';
import { allocateBytes, LongLivedBuffers } from './long-lived-buffers.ts';

const MB = 2 ** 20;

describe('long-lived buffers', () => {
  it.each([
    { name: 'a small heap', heap: 20 * MB, counted: 1 },
    { name: 'a small one that has grown by half', heap: 320 * MB, counted: 0.25 },
    { name: 'no more than a gigabyte between two collections', heap: 20_000 * MB, counted: 1 / 16 },
  ])('are ordinary ArrayBuffers as far as the heap allows: $name', ({ heap, counted }) => {
    const memory = new LongLivedBuffers(() => heap);
    const pieces = Array.from({ length: 1600 }, () => memory.allocate(1000));
    expect(pieces.filter(({ buffer }) => buffer instanceof ArrayBuffer).length / pieces.length).toBeCloseTo(counted, 1);
  });

  it('follow the heap as it grows', () => {
    let heap = 20 * MB;
    const memory = new LongLivedBuffers(() => heap);
    expect(memory.allocate(9 * MB).buffer).toBeInstanceOf(ArrayBuffer);
    heap = 640 * MB;
    expect(memory.allocate(9 * MB).buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  it('do not overlap', () => {
    const [a, b] = [allocateBytes(3), allocateBytes(3)];
    a.write('abc');
    b.write('xyz');
    expect([a.toString(), b.toString(), a.length]).toEqual(['abc', 'xyz', 3]);
  });
});
