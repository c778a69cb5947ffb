import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RealClock } from '../../kernel/index.ts';
import { damageOf } from './check-file.ts';
import { openEmbeddedStore } from './store.ts';

const scratch = mkdtempSync(join(tmpdir(), 'k8ts-check-'));
const good = join(scratch, 'good');
let file: string;

beforeAll(async () => {
  const store = await openEmbeddedStore({ directory: good, clock: new RealClock() });
  for (let i = 0; i < 200; i++)
    await store.txn({ success: [{ op: 'put', key: `/k/${i}`, value: Buffer.alloc(i % 10 === 0 ? 5000 : 500, i) }] });
  await store.close();
  file = join(
    good,
    readdirSync(good).find((name) => name.endsWith('.mdb'))!,
  );
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function damaged(name: string, damage: (path: string) => void): string {
  const copy = join(scratch, name);
  copyFileSync(file, copy);
  damage(copy);
  return copy;
}

const overwrite = (path: string, position: number, bytes: number): void => {
  const opened = openSync(path, 'r+');
  writeSync(opened, Buffer.alloc(bytes, 0x5a), 0, bytes, position);
  closeSync(opened);
};

/** LMDB counts pages that it took and gave back in one transaction, and does not write them. */
const claimMorePages = (path: string, more: bigint): void => {
  const opened = openSync(path, 'r+');
  for (const meta of [0, 4096]) {
    const last = Buffer.alloc(8);
    readSync(opened, last, 0, 8, meta + 144);
    last.writeBigUInt64LE(last.readBigUInt64LE() + more);
    writeSync(opened, last, 0, 8, meta + 144);
  }
  closeSync(opened);
};

/** Where the root of the newest tree begins. The last page of the file may be one that nothing refers to. */
function rootPosition(path: string): number {
  const opened = openSync(path, 'r');
  const metas = [0, 4096].map((meta) => {
    const numbers = Buffer.alloc(24);
    readSync(opened, numbers, 0, 24, meta + 136);
    return { root: numbers.readBigUInt64LE(0), transaction: numbers.readBigUInt64LE(16) };
  });
  closeSync(opened);
  const newest = metas[0]!.transaction > metas[1]!.transaction ? metas[0]! : metas[1]!;
  return Number(newest.root) * 4096;
}

it.each<[string, (path: string) => void]>([
  ['as it should be', () => {}],
  ['empty', (path) => writeFileSync(path, '')],
  ['without its last pages, which nothing refers to', (path) => claimMorePages(path, 3n)],
])('accepts a file that is %s', (name, change) => {
  expect(damageOf(damaged(name, change))).toBeUndefined();
});

it('does not start from an older file beside a damaged one', async () => {
  const directory = join(scratch, 'older');
  mkdirSync(directory);
  copyFileSync(file, join(directory, 'store-000001.mdb'));
  copyFileSync(file, join(directory, 'store-000002.mdb'));
  truncateSync(join(directory, 'store-000002.mdb'), 9000);
  await expect(openEmbeddedStore({ directory, clock: new RealClock() })).rejects.toThrow(
    /store-000002.mdb is damaged: it is truncated/,
  );
  expect(readdirSync(directory)).toEqual(expect.arrayContaining(['store-000001.mdb', 'store-000002.mdb']));
});

it.each<[string, (path: string) => void, RegExp]>([
  ['truncated', (path) => truncateSync(path, 9000), /truncated/],
  ['truncated in the middle of a page', (path) => truncateSync(path, rootPosition(path) + 100), /truncated/],
  ['truncated in the middle', (path) => truncateSync(path, Math.floor(statSync(path).size / 8192) * 4096), /truncated/],
  ['written over from the start', (path) => overwrite(path, 0, 32_768), /not those of a store/],
  ['of something else', (path) => writeFileSync(path, 'hello'), /not those of a store/],
  [
    'written over behind the start',
    (path) => overwrite(path, 8192, statSync(path).size - 8192),
    /not where it should be/,
  ],
])('sees a file that is %s', (name, damage, expected) => {
  expect(damageOf(damaged(name, damage))).toMatch(expected);
});

it('is checked before the store is opened, and the file is not changed', async () => {
  truncateSync(file, 9000);
  await expect(openEmbeddedStore({ directory: good, clock: new RealClock() })).rejects.toMatchObject({
    code: 'corrupt',
  });
});
