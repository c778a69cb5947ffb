import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { openImageStore } from '../src/container-runtime/images/index.ts';
import { createContext } from '../src/kernel/index.ts';

/** Loads, mounts and removes images for ever; the crash test kills it. Arguments: the store's folder, archives. */
const [root = '', ...archives] = process.argv.slice(2);

async function work(): Promise<void> {
  const store = await openImageStore(createContext({ writeLog: () => {} }), { root });
  for (const { key } of store.snapshots.list()) await store.snapshots.remove(key);
  process.stdout.write('ready\n');
  for (let round = 0; ; round++) {
    const keys: string[] = [];
    for (const archive of archives) {
      for (const image of await store.loadArchive(Readable.from([readFileSync(archive)]))) {
        const key = `${process.pid}-${round}-${keys.length}`;
        await store.snapshots.prepare(key, image.id);
        keys.push(key);
      }
    }
    for (const key of keys) await store.snapshots.remove(key);
    for (const { id } of store.list()) await store.remove(id);
  }
}

await work();
