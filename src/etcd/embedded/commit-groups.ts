import type { Commit } from '../engine.ts';

/** Limits of a group, and so of how long the next group waits. */
const COMMITS_PER_GROUP = 1024;
const BYTES_PER_GROUP = 8 * 1024 * 1024;

/** How many of the queued commits are written together. */
export type GroupSize = (queue: readonly { readonly commit: Commit }[]) => number;

/**
 * As many commits as the limits allow share one fsync. The plain counterpart writes one commit at a time. Pays for the bench
 * rows `embedded: put 1 KB, 64 writers` and `POST ConfigMap`.
 */
export const largestGroup: GroupSize = (queue) => {
  let bytes = 0;
  let count = 0;
  while (count < queue.length && count < COMMITS_PER_GROUP && bytes < BYTES_PER_GROUP) {
    for (const { kv, prevKv } of queue[count]!.commit.record?.changes ?? [])
      bytes += kv.value.length + (prevKv?.value.length ?? 0);
    count++;
  }
  return count;
};

export const oneCommit: GroupSize = (queue) => Math.min(1, queue.length);
