import type { Context } from './context.ts';
import { unlessAborted } from './unless-aborted.ts';
import { withDeadline } from './with-deadline.ts';

/** A part of something that stops. */
interface EndingPart {
  readonly name: string;
  readonly limitMs: number;
  end(): Promise<unknown>;
  /** What of it still runs, for the log. */
  running?(): readonly string[];
}

/**
 * Ends parts one after the other. One that has not ended after its `limitMs` is logged by name and left behind, because a
 * part that waits for ever must keep neither the others nor the process. The first error is thrown after all have ended.
 */
export async function endInOrder(
  { clock, logger }: Pick<Context, 'clock' | 'logger'>,
  parts: readonly EndingPart[],
): Promise<void> {
  const failures: unknown[] = [];
  for (const { name, limitMs, end, running } of parts) {
    await withDeadline({ clock, ms: limitMs }, async (limit) => {
      try {
        await unlessAborted(limit, end());
      } catch (error) {
        if (error !== limit.reason) return void failures.push(error);
        const stillRunning = running?.() ?? [];
        logger.error(error, 'Failed to stop in time', {
          part: name,
          ...(stillRunning.length > 0 ? { stillRunning: stillRunning.join(', ') } : {}),
        });
      }
    });
  }
  if (failures.length > 0) throw failures[0];
}
