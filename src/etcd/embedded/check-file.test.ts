import { copyFileSync, mkdtempSync, openSync, closeSync, readdirSync, rmSync, truncateSync, writeFileSync, writeSync, statSync } from 'node:fs';
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
  for (let i = 0; i < 200; i++) await store.txn({ success: [{ op: 'put', key: `/k/${i}`, value: Buffer.alloc(500, i) }] });
  await store.close();
  file = join(good, readdirSync(good).find((name) => name.endsWith('.mdb'))!);
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

it('finds nothing wrong with a good file, nor with one that is empty', () => {
  expect(damageOf(file)).toBeUndefined();
  expect(damageOf(damaged('empty', (path) => writeFileSync(path, '')))).toBeUndefined();
});

it.each<[string, (path: string) => void, RegExp]>([
  ['cut off', (path) => truncateSync(path, 9000), /cut off/],
  ['written over from the start', (path) => overwrite(path, 0, 32_768), /not those of a store/],
  ['of something else', (path) => writeFileSync(path, 'hello'), /not those of a store/],
  ['written over behind the start', (path) => overwrite(path, 8192, statSync(path).size - 8192), /not where it should be/],
])('sees a file that is %s', (name, damage, expected) => {
  expect(damageOf(damaged(name, damage))).toMatch(expected);
});

it('is asked before the store is opened, and the file stays as it is', async () => {
  truncateSync(file, 9000);
  await expect(openEmbeddedStore({ directory: good, clock: new RealClock() })).rejects.toMatchObject({ code: 'corrupt' });
});
