/**
 * The process that dies in the tests of the store: writers put pairs of keys in one transaction each and report every
 * answer, with the time when they got it, on standard output, which is a pipe and therefore written before the next line runs.
 *
 *     store-writer.ts DIRECTORY ROUND [defragment]
 */
import { writeSync } from 'node:fs';
import { openEmbeddedStore } from '../../src/etcd/index.ts';
import { RealClock } from '../../src/kernel/index.ts';

const WRITERS = 32;
const [directory = '', round = '0', mode] = process.argv.slice(2);

function report(line: string): void {
  const bytes = Buffer.from(`${line} ${process.hrtime.bigint()}\n`);
  for (let written = 0; written < bytes.length;) written += writeSome(bytes.subarray(written));
}

/** Whoever reads the pipe may be busy, and somebody may have made it non-blocking. */
function writeSome(bytes: Uint8Array): number {
  try {
    return writeSync(1, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    return 0;
  }
}

const store = await openEmbeddedStore({
  directory,
  clock: new RealClock(),
  history: { revisions: 5000, bytes: 4 * 1024 * 1024 },
});
report(`open ${await store.revision()} 0 0`);

const watching = (async () => {
  for await (const { events } of store.watch({ key: 'w/', rangeEnd: 'w0' })) {
    for (const { kv } of events) report(`seen 0 0 ${kv.modRevision}`);
  }
})();

async function write(writer: number): Promise<void> {
  for (let i = 1; ; i++) {
    const value = Buffer.from(`${round}.${i}.${'x'.repeat((i * 37) % 900)}`);
    const { revision } = await store.txn({
      success: [
        { op: 'put', key: `w/${writer}/a`, value },
        { op: 'put', key: `w/${writer}/b`, value },
        i % 2 === 0
          ? { op: 'put', key: `w/${writer}/sometimes`, value }
          : { op: 'delete', key: `w/${writer}/sometimes` },
      ],
    });
    report(`ack ${writer} ${i} ${revision}`);
  }
}

async function defragment(): Promise<void> {
  while (mode === 'defragment') {
    await store.defragment();
    report(`defragmented 0 0 ${await store.revision()}`);
  }
}
await Promise.all([watching, defragment(), ...Array.from({ length: WRITERS }, (_, writer) => write(writer))]);
