import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../kernel/index.ts';
import { BboltDatabase } from './read-database.ts';
import { BboltWriter, type Pair } from './write-database.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'k8ts-bbolt-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function write(name: string, buckets: Readonly<Record<string, readonly Pair[]>>): Promise<string> {
  const path = join(directory, name);
  const file = await open(path, 'w');
  const writer = new BboltWriter(file);
  for (const [bucket, pairs] of Object.entries(buckets)) await writer.bucket(bucket, pairs);
  await writer.finish();
  await file.close();
  return path;
}

function read(path: string, bucket: string): string[] {
  const database = new BboltDatabase(path);
  try {
    return [...database.bucket(bucket)].map(({ key, value }) => `${key.toString()}=${value.toString('latin1')}`);
  } finally {
    database.close();
  }
}

const pairsOf = (count: number, valueBytes: (i: number) => number): Pair[] =>
  Array.from({ length: count }, (_, i) => ({
    key: Buffer.from(`key-${String(i).padStart(9, '0')}`),
    value: Buffer.alloc(valueBytes(i), i),
  }));
const textOf = (pairs: readonly Pair[]): string[] =>
  pairs.map(({ key, value }) => `${key.toString()}=${value.toString('latin1')}`);

describe('a bbolt file', () => {
  const random = new SeededRandom(1);
  it.each([
    ['nothing', pairsOf(0, () => 0)],
    ['one pair', pairsOf(1, () => 5)],
    ['a page', pairsOf(20, () => 100)],
    ['several pages', pairsOf(500, () => 100)],
    ['three levels', pairsOf(40_000, () => 20)],
    ['values of many pages', pairsOf(30, (i) => i * 3000)],
    ['values of all sizes', pairsOf(300, () => Math.floor(random.next() * 9000))],
  ])('holds %s', async (name, pairs) => {
    const path = await write(name.replaceAll(' ', '-'), { a: [], key: pairs, z: pairs.slice(0, 1) });
    expect(read(path, 'key')).toEqual(textOf(pairs));
    expect(read(path, 'z')).toEqual(textOf(pairs.slice(0, 1)));
    expect([read(path, 'a'), read(path, 'missing')]).toEqual([[], []]);
  });

  it('that is damaged is refused, whatever byte of it is', async () => {
    const path = await write('sound', { key: pairsOf(100, () => 50) });
    const bytes = await readFile(path);
    for (let i = 0; i < 300; i++) {
      const damaged = Buffer.from(bytes);
      const at = Math.floor(random.next() * damaged.length);
      damaged[at] = damaged[at]! ^ (1 << Math.floor(random.next() * 8));
      await writeFile(join(directory, 'damaged'), damaged);
      // Not every byte is looked at; what is must lead to an answer or to this error, and to nothing else.
      try {
        read(join(directory, 'damaged'), 'key');
      } catch (error) {
        expect(error).toMatchObject({ name: 'StoreError', code: 'corrupt' });
      }
    }
    for (const length of [0, 16, 4096, bytes.length - 4096]) {
      await writeFile(join(directory, 'cut'), bytes.subarray(0, length));
      expect(() => read(join(directory, 'cut'), 'key')).toThrow('not a sound bbolt file');
    }
  });
});
