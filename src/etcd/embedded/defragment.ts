import { chmod, rm } from 'node:fs/promises';
import { renameDurably, syncFile } from '../../kernel/index.ts';
import type { Commit } from '../engine.ts';
import type { RevisionRecord } from '../history.ts';
import type { LeaseState } from '../lessor.ts';
import type { EmbeddedEngine } from './engine.ts';
import { generationPath, removeGenerationInBackground, temporaryPath } from './generations.ts';
import { atomically, FILE_MODE, openTables, putFact, readFact, type Tables, wholeTable } from './tables.ts';
import { putLease, writeCommits } from './write-commits.ts';

/** A small file, or one that is mostly in use, is not worth rewriting. */
const MIN_FILE_BYTES = 64 * 1024 * 1024;

export function isWorthDefragmenting({ total, inUse }: { total: number; inUse: number }): boolean {
  return total > MIN_FILE_BYTES && inUse < total / 2;
}

interface DefragmentOptions {
  directory: string;
  engine: EmbeddedEngine;
  generation: number;
  state(): { published: number; compactRevision: number; leases: LeaseState };
}

/** With at most this many revisions left to copy, writers wait for the rest. */
const LAST_STEP_REVISIONS = 200;
const REVISIONS_PER_STEP = 500;

/**
 * Writes the next generation: LMDB copies the used pages in a thread of its own, then the revisions since the start of
 * the copy are added in steps while writers continue; they wait only for the last few revisions and the switch of the
 * files.
 */
export async function defragmentFile(space: DefragmentOptions): Promise<number> {
  const { directory, engine } = space;
  const next = space.generation + 1;
  await removeGenerationInBackground(directory, next);
  const path = generationPath(directory, next);
  await copyUsedPages(engine, path);
  const copy = openTables(path);
  const old = engine.tables;
  try {
    let copied = Number(readFact(copy, 'revision') ?? 1n);
    while (space.state().published - copied > LAST_STEP_REVISIONS) copied = await addRevisions(copy, space, copied);
    await engine.exclusively(async () => {
      while (copied < space.state().published) copied = await addRevisions(copy, space, copied);
      await finish(copy, space, next);
      engine.switchTo(copy);
    });
  } catch (error) {
    if (engine.tables !== copy) {
      await copy.environment.close();
      await removeGenerationInBackground(directory, next);
    }
    throw error;
  }
  await old.environment.close();
  await removeGenerationInBackground(directory, space.generation);
  return next;
}

/** LMDB does not fsync its copy, and the old file is removed later: both the file and its directory entry are synced. */
async function copyUsedPages(engine: EmbeddedEngine, path: string): Promise<void> {
  const temporary = temporaryPath(path);
  await rm(temporary, { force: true });
  try {
    await engine.tables.environment.backup(temporary, true);
    await chmod(temporary, FILE_MODE);
    await syncFile(temporary);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await renameDurably(temporary, path);
}

async function addRevisions(copy: Tables, { engine, state }: DefragmentOptions, from: number): Promise<number> {
  if (engine.history.firstLoaded > from + 1) await engine.history.load(from + 1);
  const records: RevisionRecord[] = [];
  engine.history.visit(from + 1, (record) => {
    if (record.revision > state().published) return false;
    records.push(record);
    return records.length < REVISIONS_PER_STEP;
  });
  if (records[0]?.revision !== from + 1) {
    throw new Error(`history from revision ${from + 1} on was compacted while the store was being copied`);
  }
  const commits = records.map((record): Commit => ({ draft: engine.draft(), record, leases: state().leases }));
  await atomically(copy, () => writeCommits(copy, commits));
  return records.at(-1)!.revision;
}

/** Writes leases and compaction, and last the generation number, which makes the copy valid. */
async function finish(copy: Tables, { state }: DefragmentOptions, generation: number): Promise<void> {
  const stored = [...copy.leases.getKeys(wholeTable())];
  const { leases, compactRevision } = state();
  await atomically(copy, () => {
    for (const key of stored) copy.leases.remove(key);
    leases.leases.scan(undefined, undefined, ({ id, grantedTtl }) => putLease(copy, id, grantedTtl));
    putFact(copy, 'compactRevision', compactRevision);
    putFact(copy, 'generation', generation);
  });
}
