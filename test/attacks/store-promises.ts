import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Store } from '../../src/etcd/index.ts';
import type { Clock } from '../../src/kernel/index.ts';

/** One line of store-writer.ts. */
export interface Report {
  readonly kind: 'open' | 'ack' | 'seen' | 'defragmented';
  readonly writer: number;
  readonly i: number;
  readonly revision: number;
  readonly time: bigint;
}

interface Acknowledged {
  readonly round: number;
  readonly i: number;
  readonly revision: number;
}

/** What a store has promised: the last acknowledged write of each writer, and the greatest revision that anybody was told of. */
export class StorePromises {
  readonly acknowledged = new Map<number, Acknowledged>();
  count = 0;
  newest = 1;
  #round = 0;

  /** Promises of an earlier process hold until the next one changes them. */
  startRound(round: number): void {
    this.#round = round;
  }

  take({ kind, writer, i, revision }: Report): void {
    this.newest = Math.max(this.newest, revision);
    if (kind !== 'ack') return;
    this.acknowledged.set(writer, { round: this.#round, i, revision });
    this.count++;
  }

  async checkKept(store: Store): Promise<void> {
    expect(await store.revision()).toBeGreaterThanOrEqual(this.newest);
    for (const [writer, acknowledged] of this.acknowledged) await this.#checkWriter(store, writer, acknowledged);
  }

  /** What a store shows after a restart stays, too: readers have seen it. */
  async takeStored(store: Store): Promise<void> {
    const { kvs } = await store.range({ key: 'w/', rangeEnd: 'w0' });
    for (const { key, value, modRevision } of kvs.filter((kv) => kv.key.endsWith('/a'))) {
      const [round = 0, i = 0] = Buffer.from(value).toString().split('.').map(Number);
      this.acknowledged.set(Number(key.split('/')[1]), { round, i, revision: modRevision });
    }
    this.newest = await store.revision();
  }

  /** The acknowledged write, or the one after it, whose answer did not get out; both of its halves or none. */
  async #checkWriter(store: Store, writer: number, { round, i, revision }: Acknowledged): Promise<void> {
    const { kvs } = await store.range({ key: `w/${writer}/`, rangeEnd: `w/${writer}0` });
    const [a, b, sometimes] = kvs;
    const where = `writer ${writer}`;
    expect(a, where).toBeDefined();
    const [inRound, found] = Buffer.from(a!.value).toString().split('.').map(Number);
    const next = round === this.#round ? `${round}.${i + 1}` : `${this.#round}.1`;
    expect([`${round}.${i}`, next], where).toContain(`${inRound}.${found}`);
    if (inRound === round && found === i) expect(a!.modRevision, where).toBe(revision);
    else expect(a!.modRevision, where).toBeGreaterThan(revision);
    expect(Buffer.compare(a!.value, b!.value), where).toBe(0);
    expect(b!.modRevision, where).toBe(a!.modRevision);
    expect(sometimes === undefined, where).toBe(found! % 2 === 1);
    if (sometimes !== undefined) expect(sometimes.modRevision, where).toBe(a!.modRevision);
  }
}

/** A watcher that saw everything before `from` sees each later revision exactly once. */
export async function checkEvents(store: Store, from: number, to: number): Promise<number> {
  if (from > to) return 0;
  const { compactRevision } = await store.status();
  const start = Math.max(from, compactRevision);
  const watch = store.watch({ key: 'w/', rangeEnd: 'w0', startRevision: start });
  const revisions: number[] = [];
  let count = 0;
  for await (const batch of watch) {
    for (const { kv } of batch.events) if (revisions.at(-1) !== kv.modRevision) revisions.push(kv.modRevision);
    count += batch.events.length;
    if (batch.revision >= to) break;
  }
  expect(revisions).toEqual(Array.from({ length: to - start + 1 }, (_, i) => start + i));
  return count;
}

const DEFAULT_END_MS = 60_000;

export interface WriterOptions {
  readonly directory: string;
  readonly round: number;
  readonly defragment?: boolean;
  readonly environment?: NodeJS.ProcessEnv;
  /** How long it writes after its first acknowledged write. */
  readonly killAfterMs: number;
  /** What happens then, and makes the process end; default SIGKILL. */
  readonly end?: () => void;
  /** How long the process has to end by that before it is killed. */
  readonly endMs?: number;
  /** What the process prints about errors is not shown. */
  readonly ignoreErrors?: boolean;
}

/** Runs store-writer.ts and kills it; what it has reported. */
export async function runAndKill(clock: Clock, options: WriterOptions): Promise<Report[]> {
  const script = join(import.meta.dirname, 'store-writer.ts');
  const mode = options.defragment ? ['defragment'] : [];
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', script, options.directory, String(options.round), ...mode],
    {
      stdio: ['ignore', 'pipe', options.ignoreErrors ? 'ignore' : 'inherit'],
      env: options.environment ?? process.env,
    },
  );
  let output = '';
  let killing: Promise<void> | undefined;
  child.stdout.setEncoding('latin1').on('data', (chunk: string) => {
    output += chunk;
    if (killing !== undefined || !output.includes('ack')) return;
    killing = (async () => {
      await clock.sleep(options.killAfterMs);
      options.end?.();
      // Killed too early, a recorded process would leave a write that is not in its record.
      if (options.end) await Promise.race([once(child, 'exit'), clock.sleep(options.endMs ?? DEFAULT_END_MS)]);
      child.kill('SIGKILL');
    })();
  });
  await once(child, 'close');
  await killing;
  // The last line may be cut off by the kill.
  return output.split('\n').slice(0, -1).map(readReport);
}

function readReport(line: string): Report {
  const [kind, writer, i, revision, time] = line.split(' ');
  if (kind === 'open') return { kind, writer: 0, i: 0, revision: Number(writer), time: BigInt(time!) };
  return {
    kind: kind as Report['kind'],
    writer: Number(writer),
    i: Number(i),
    revision: Number(revision),
    time: BigInt(time!),
  };
}
