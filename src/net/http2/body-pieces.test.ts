import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../kernel/seeded-random.ts';
import { BodyPieces } from './body-pieces.ts';

describe('BodyPieces', () => {
  it.each([
    ['one piece', () => 5000, 1],
    ['a few small ones', () => 10, 16],
    ['many large ones', () => 16_384, 100],
    ['many small ones', () => 1, 50_000],
    ['many of all kinds', (random: SeededRandom) => [1, 10, 1000, 5000][random.integer(4)]!, 2000],
    ['small and large ones in turn', (_random: SeededRandom, i: number) => (i % 2 === 0 ? 1 : 4096), 500],
    ['large ones, then small ones', (_random: SeededRandom, i: number) => (i < 50 ? 16_384 : 1), 60_000],
  ])('%s form the whole body', (_name, lengthOf, count) => {
    const random = new SeededRandom('pieces');
    const pieces = Array.from({ length: count }, (_, i) => Buffer.from(random.bytes(lengthOf(random, i))));
    const body = new BodyPieces();
    for (const piece of pieces) body.add(piece);
    const whole = Buffer.concat(pieces);
    expect(body.count).toBeLessThanOrEqual(17 + whole.length / 1024);
    expect(body.whole().equals(whole)).toBe(true);
  });

  it('does not copy a body in one piece', () => {
    const body = new BodyPieces();
    const piece = Buffer.from('body');
    body.add(piece);
    expect(body.whole()).toBe(piece);
  });

  it('copies bytes that may change later', () => {
    const body = new BodyPieces();
    const piece = Buffer.from('x');
    for (let i = 0; i < 16; i++) body.add(Buffer.from('-'));
    for (const letter of 'abc') {
      piece.write(letter);
      body.add(piece);
    }
    expect(String(body.whole())).toBe(`${'-'.repeat(16)}abc`);
  });
});
