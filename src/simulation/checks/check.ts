import type { TransportRequest, WatchEvent } from '../../client/index.ts';
/**
 * What must hold in a world. A check looks at every committed change, at every answer and every watch event that a client
 * got, or at the whole world once faults have ended and it has come to rest. It returns what is wrong.
 */
import type { Clock } from '../../kernel/index.ts';
import type { Exchange } from '../world/network.ts';
import type { WorldProcess } from '../world/processes.ts';
import type { WorldProxy } from '../world/proxy.ts';
import type { Change, StoreLog } from '../world/store-log.ts';
import type { WorldWebhook } from '../world/webhook.ts';

export interface CheckContext {
  readonly log: StoreLog;
  readonly clock: Clock;
  readonly processes: ReadonlyMap<string, WorldProcess>;
  readonly webhook: WorldWebhook;
  readonly proxy: WorldProxy;
  /** Since when no fault strikes, on the world's monotonic clock; Infinity while one does. */
  calmSince(): number;
  /** Counts that the check had something to look at. */
  looked(): void;
}

export type Verdict = string | undefined;

interface WatchCheck {
  event(event: WatchEvent<unknown>): Verdict;
}

export interface Check {
  /** Why it must hold, in a sentence. */
  readonly because: string;
  committed?(change: Change, context: CheckContext): Verdict;
  answered?(exchange: Exchange, context: CheckContext): Verdict;
  /** As `answered`, at once: the log may not have yet what the answer speaks of. */
  heard?(exchange: Exchange, context: CheckContext): void;
  watched?(watch: { request: TransportRequest }, context: CheckContext): WatchCheck | undefined;
  /** Asked until nothing is wrong, for a bounded time. */
  settled?(context: CheckContext): Verdict;
}

/** When a fault has ended, what was broken off is tried again after up to so long. */
export const RECOVERED_MS = 40_000;

/** The first verdict of items that is one. */
export function firstWrong<T>(items: Iterable<T>, look: (item: T) => Verdict): Verdict {
  for (const item of items) {
    const wrong = look(item);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
