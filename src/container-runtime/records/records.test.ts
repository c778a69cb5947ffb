import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeyedLock } from './keyed-lock.ts';
import { RecordStore } from './record-store.ts';

interface Thing {
  readonly id: string;
  readonly value?: number | undefined;
  readonly bytes?: Uint8Array;
}

describe('records', () => {
  let directory: string;
  beforeEach(() => {
    directory = fs.mkdtempSync(path.join(os.tmpdir(), 'records-'));
  });
  afterEach(() => fs.rmSync(directory, { recursive: true }));
  const open = (): RecordStore<Thing> => {
    const store = new RecordStore<Thing>(directory);
    store.load();
    return store;
  };

  it('are there after a restart, with bytes as bytes', () => {
    const store = open();
    store.put({ id: 'a', value: 1, bytes: Buffer.from('x') });
    store.update('a', { value: undefined });
    store.put({ id: 'b' });
    store.remove('b');
    expect([...open()]).toEqual([{ id: 'a', bytes: Buffer.from('x') }]);
    expect(fs.statSync(path.join(directory, 'a.2.json')).mode & 0o777).toBe(0o600);
  });

  it.each([
    { name: 'cut off', file: 'a.1.json', text: '{"id":"a"' },
    { name: 'opened and never written', file: 'a.1.json', text: '' },
    { name: 'of another id', file: 'a.1.json', text: '{"id":"b"}' },
    { name: 'no records', file: 'a.json', text: '{"id":"a"}' },
  ])('that were $name are removed', ({ file, text }) => {
    fs.writeFileSync(path.join(directory, file), text);
    expect([...open()]).toEqual([]);
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it.each([
    { name: 'the newest one counts', newest: '{"id":"a","value":10}', value: 10 },
    { name: 'an unfinished change did not happen', newest: '{"id":"a","val', value: 9 },
  ])('that were changed when the process ended: $name', ({ newest, value }) => {
    fs.writeFileSync(path.join(directory, 'a.9.json'), '{"id":"a","value":9}');
    fs.writeFileSync(path.join(directory, 'a.10.json'), newest);
    const store = open();
    expect(store.get('a')).toEqual({ id: 'a', value });
    store.update('a', { value: 20 });
    expect([...open()]).toEqual([{ id: 'a', value: 20 }]);
    expect(fs.readdirSync(directory)).toHaveLength(1);
  });

  it('are found by a beginning of their id that no other has', () => {
    const store = open();
    store.put({ id: 'abc' });
    store.put({ id: 'abd' });
    expect([store.find('abc'), store.find('abd')?.id, store.find('ab'), store.find('x'), store.find('')]).toEqual([
      { id: 'abc' },
      'abd',
      undefined,
      undefined,
      undefined,
    ]);
    expect(store.find('abc'.slice(0, 3))?.id).toBe('abc');
  });
});

describe('locks', () => {
  it('serialize work on one key and not on others, also after a failure', async () => {
    const lock = new KeyedLock();
    const seen: string[] = [];
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const first = lock.run('a', async () => {
      await held;
      seen.push('first');
      throw new Error('failed');
    });
    const second = lock.run('a', async () => void seen.push('second'));
    await lock.run('b', async () => void seen.push('other'));
    release();
    await expect(first).rejects.toThrow('failed');
    await second;
    expect(seen).toEqual(['other', 'first', 'second']);
  });
});
