/**
 * Graceful node shutdown: when the machine shuts down, terminates pods in groups by priority, each with its grace
 * period, critical pods last.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '../../api/generated/core-v1.ts';
import { errorMessage, formatTime } from '../../base/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import type { NodeReporter } from '../node/node-reporter.ts';
import { uidOf } from '../pod/pod-identity.ts';
import type { PodManager } from '../pod/pod-manager.ts';
import { openLogind, type InhibitLock, type Logind } from './logind.ts';
import { groupByPriority, shutdownGracePeriods, type ShutdownGracePeriod } from './shutdown-groups.ts';

const REASON = 'Terminated';
const MESSAGE = 'Pod was terminated in response to imminent node shutdown.';
const STATE_FILE = 'graceful_node_shutdown_state';
const RECONNECT_MS = 1000;
const POLL_MS = 50;

interface ShutdownOptions {
  readonly config: KubeletConfig;
  readonly manager: Pick<PodManager, 'activePods' | 'worker' | 'terminate'>;
  readonly reporter: Pick<NodeReporter, 'event' | 'changed'>;
  readonly openLogind?: () => Promise<Logind | undefined>;
}

export class ShutdownManager {
  readonly #ctx: Context;
  readonly #options: ShutdownOptions;
  readonly #gracePeriods: readonly ShutdownGracePeriod[];
  #shuttingDown = false;

  constructor(ctx: Context, options: ShutdownOptions) {
    this.#ctx = childContext(ctx, 'shutdown');
    this.#options = options;
    this.#gracePeriods = shutdownGracePeriods(options.config);
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** Waits for a shutdown signal of logind. Without logind, the command calls `shutDown` on SIGPWR. */
  async run(): Promise<void> {
    if (this.#gracePeriods.length === 0) return;
    const { clock, signal, logger } = this.#ctx;
    while (!signal.aborted) {
      const logind = await (this.#options.openLogind ?? openLogind)();
      if (logind === undefined) {
        logger.info('logind is not available; send SIGPWR to the kubelet before the machine shuts down');
        return;
      }
      const close = (): void => logind.close();
      signal.addEventListener('abort', close, { once: true });
      await this.#follow(logind).catch((error: unknown) =>
        logger.error(error, 'Failed to start node shutdown manager'),
      );
      signal.removeEventListener('abort', close);
      logind.close();
      await clock.sleep(RECONNECT_MS, signal).catch(() => {});
    }
  }

  async #follow(logind: Logind): Promise<void> {
    const { logger } = this.#ctx;
    const wanted = this.#gracePeriods.reduce((sum, { seconds }) => sum + seconds, 0) * 1000;
    if ((await logind.inhibitDelayMs()) < wanted) {
      await logind.overrideInhibitDelay(wanted);
      const delay = await logind.inhibitDelayMs();
      if (delay < wanted)
        throw new Error(
          `node shutdown manager was unable to update logind InhibitDelayMaxSec to ${wanted / 1000}s (ShutdownGracePeriod), current value of InhibitDelayMaxSec (${delay / 1000}s) is less than requested ShutdownGracePeriod`,
        );
    }
    let lock: Promise<InhibitLock> | undefined;
    const release = async (): Promise<void> => {
      const held = lock;
      lock = undefined;
      (await held)?.release();
    };
    const react = async (isComing: boolean): Promise<void> => {
      if (isComing) {
        this.#options.reporter.event('Normal', 'Shutdown', 'Shutdown manager detected shutdown event');
        await this.shutDown();
        await release();
      } else {
        this.#options.reporter.event('Normal', 'Shutdown', 'Shutdown manager detected shutdown cancellation');
        this.#shuttingDown = false;
        this.#options.reporter.changed();
        await (lock ??= logind.inhibit());
      }
    };
    // The subscription comes before the lock, so that no shutdown that the lock delays is missed.
    await logind.subscribe((isComing) => {
      void react(isComing).catch((error: unknown) =>
        logger.error(error, 'Shutdown manager failed to process shutdown event'),
      );
    });
    lock = logind.inhibit();
    await lock;
    try {
      await logind.closed;
    } finally {
      await release();
    }
  }

  async shutDown(): Promise<void> {
    if (this.#gracePeriods.length === 0 || this.#shuttingDown) return;
    const { clock, logger } = this.#ctx;
    this.#shuttingDown = true;
    this.#options.reporter.changed();
    logger.info('Shutdown manager processing shutdown event');
    const startTime = formatTime(clock.now());
    await this.#saveState({ startTime });
    const groups = groupByPriority(this.#gracePeriods, this.#options.manager.activePods());
    for (const [index, { seconds }] of this.#gracePeriods.entries())
      await this.#terminateGroup(groups[index] ?? [], seconds);
    await this.#saveState({ startTime, endTime: formatTime(clock.now()) });
  }

  async #terminateGroup(pods: readonly Pod[], seconds: number): Promise<void> {
    const { manager } = this.#options;
    const { clock, signal } = this.#ctx;
    for (const pod of pods) {
      const graceSeconds = Math.min(seconds, pod.spec?.terminationGracePeriodSeconds ?? seconds);
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'TerminationByKubelet',
        message: MESSAGE,
        observedGeneration: pod.metadata.generation,
        lastTransitionTime: formatTime(clock.now()),
      };
      manager.terminate(uidOf(pod), {
        graceSeconds,
        failure: { phase: 'Failed', reason: REASON, message: MESSAGE, conditions: [condition] },
      });
    }
    const deadline = clock.monotonic() + seconds * 1000;
    while (
      !signal.aborted &&
      clock.monotonic() < deadline &&
      pods.some((pod) => manager.worker(uidOf(pod))?.isTerminated === false)
    )
      await clock.sleep(POLL_MS, signal).catch(() => {});
  }

  /** Upstream's state file, with the times of the last graceful shutdown. */
  async #saveState(state: { readonly startTime: string; readonly endTime?: string }): Promise<void> {
    const file = path.join(this.#options.config.rootDirectory, STATE_FILE);
    await fs
      .writeFile(file, JSON.stringify(state), { mode: 0o600 })
      .catch((error: unknown) =>
        this.#ctx.logger.v(1).info('Failed to store graceful shutdown state', { err: errorMessage(error) }),
      );
  }
}
