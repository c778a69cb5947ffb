import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Logger } from '../../kernel/index.ts';
import type { RequestLimits } from '../check-request.ts';
import { Lessor, type LeaseState } from '../lessor.ts';
import { MvccStore } from '../mvcc-store.ts';
import { ALL_SPEED, type SpeedOptions } from '../speed-options.ts';
import type { Alarm } from '../store.ts';
import type { HistoryLimits } from './compactor.ts';
import { defragmentFile, isWorthDefragmenting } from './defragment.ts';
import { lockDirectory } from './directory-lock.ts';
import { EmbeddedEngine } from './engine.ts';
import { type OpenedGeneration, openGeneration } from './generations.ts';
import { leaseOfKey } from './records.ts';
import { replayLog } from './replay-log.ts';
import { readFact, type Tables, wholeTable } from './tables.ts';

export interface EmbeddedStoreOptions {
  directory: string;
  clock: Clock;
  logger?: Logger;
  /** The member's name, from which its id is derived. */
  name?: string;
  /** Puts are refused while more than this is in use. Default 8 GiB. */
  quotaBytes?: number;
  /** History to keep. Default 50,000 revisions and 24 MiB. */
  history?: Partial<HistoryLimits>;
  /** Memory for recently read or written pairs. Default 32 MiB. */
  cacheBytes?: number;
  limits?: RequestLimits;
  speed?: Partial<SpeedOptions>;
}

export const DEFAULT_QUOTA_BYTES = 8 * 1024 ** 3;
const DEFAULT_CACHE_BYTES = 32 * 1024 * 1024;
const DEFAULT_HISTORY: HistoryLimits = { revisions: 50_000, bytes: 24 * 1024 * 1024 };
const SPACE_CHECK_INTERVAL_MS = 30_000;

/** Opens the store in a directory, or creates it. */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const unlock = lockDirectory(options.directory);
  try {
    const opened = await openGeneration(options.directory, options.name ?? 'default', options.clock.now());
    await replayLog(options.directory, opened.tables);
    return new EmbeddedStore(options, opened, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

export class EmbeddedStore extends MvccStore {
  readonly #embedded: EmbeddedEngine;
  #generation: number;
  #snapshots = 0;
  readonly #spaceTimer;
  /** Serializes copies of the file: a defragmentation replaces the file at its end. */
  #copying: Promise<unknown> = Promise.resolve();
  #defragmenting = false;
  readonly #storeOptions: EmbeddedStoreOptions;
  readonly #unlock: () => void;

  constructor(storeOptions: EmbeddedStoreOptions, { tables, generation }: OpenedGeneration, unlock: () => void) {
    let embedded: EmbeddedEngine | undefined;
    const revision = Number(readFact(tables, 'revision') ?? 1n);
    const compactRevision = Number(readFact(tables, 'compactRevision') ?? 0n);
    const speed = { ...ALL_SPEED, ...storeOptions.speed };
    super({
      clock: storeOptions.clock,
      createEngine: (events) =>
        (embedded = new EmbeddedEngine(
          {
            tables,
            directory: storeOptions.directory,
            clock: storeOptions.clock,
            revision,
            compactRevision,
            logSequence: Number(readFact(tables, 'logSequence') ?? 0n),
            quotaBytes: storeOptions.quotaBytes ?? DEFAULT_QUOTA_BYTES,
            cacheBytes: storeOptions.cacheBytes ?? DEFAULT_CACHE_BYTES,
            history: { ...DEFAULT_HISTORY, ...storeOptions.history },
            speed,
          },
          events,
        )),
      revision,
      compactRevision,
      leases: storedLeases(tables, storeOptions.clock),
      limits: storeOptions.limits,
      memberId: readFact(tables, 'memberId') ?? 1n,
      clusterId: readFact(tables, 'clusterId') ?? 1n,
      singlePut: speed.singlePut,
    });
    this.#storeOptions = storeOptions;
    this.#unlock = unlock;
    this.#embedded = embedded!;
    this.#generation = generation;
    this.#embedded.quota.measure();
    this.#spaceTimer = storeOptions.clock.every(SPACE_CHECK_INTERVAL_MS, () => {
      if (isWorthDefragmenting(this.#embedded.sizes())) this.#defragmentInBackground();
    });
  }

  /**
   * A compacted copy of the file, followed by its SHA-256 as in etcd's snapshots. LMDB copies one consistent state in a
   * thread of its own while writers continue.
   */
  async *snapshot(): AsyncIterable<Uint8Array> {
    this.checkOpen();
    const path = join(this.#storeOptions.directory, `snapshot-${++this.#snapshots}.tmp`);
    try {
      await rm(path, { force: true });
      await this.#exclusively(async () => {
        await this.#embedded.flush();
        await this.#embedded.tables.environment.backup(path, true);
      });
      const hash = createHash('sha256');
      for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
        const bytes: Buffer = chunk;
        hash.update(bytes);
        yield bytes;
      }
      yield hash.digest();
    } finally {
      await rm(path, { force: true });
    }
  }

  /** Returns unused space to the file system while reads and writes continue. */
  async defragment(): Promise<void> {
    this.checkOpen();
    await this.#exclusively(() => this.#rewrite());
  }

  async alarms(): Promise<Alarm[]> {
    return this.#embedded.quota.alarmed ? [{ memberId: this.options.memberId, alarm: 'nospace' }] : [];
  }

  /** The alarm clears by itself when there is space, and only then. */
  async disarm(): Promise<void> {
    this.#embedded.quota.measure();
  }

  protected override async shutDown(): Promise<void> {
    this.#spaceTimer.cancel();
    await this.#copying;
    await super.shutDown();
    this.#unlock();
  }

  async #rewrite(): Promise<void> {
    this.#generation = await defragmentFile({
      directory: this.#storeOptions.directory,
      engine: this.#embedded,
      generation: this.#generation,
      state: () => ({ published: this.published, compactRevision: this.compactRevision, leases: this.publishedLeases }),
    });
  }

  #defragmentInBackground(): void {
    if (this.#defragmenting) return;
    this.#defragmenting = true;
    this.defragment()
      .catch((error: unknown) => this.#storeOptions.logger?.error(error, 'Failed to defragment the store'))
      .finally(() => (this.#defragmenting = false));
  }

  async #exclusively<T>(copy: () => Promise<T>): Promise<T> {
    const result = this.#copying.then(copy);
    this.#copying = result.catch(() => {});
    return result;
  }
}

/** After a restart every lease has its full TTL again, as after a change of leader in etcd. */
function storedLeases(tables: Tables, clock: Clock): LeaseState {
  const lessor = new Lessor(clock, () => Promise.resolve());
  for (const { key, value } of tables.leases.getRange(wholeTable()))
    lessor.grant({ id: leaseOfKey(key), ttl: value.readDoubleLE() });
  for (const key of tables.leaseKeys.getKeys(wholeTable())) lessor.attach(leaseOfKey(key), key.slice(8));
  lessor.close();
  return lessor.state;
}
