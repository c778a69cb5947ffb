/** When the machine goes down, pods end first: those of low priority, then the critical ones, each group with its own time. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import { formatTime } from '../../machinery/time/index.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import type { PodEvents } from '../pod/pod-events.ts';
import type { PodManager } from '../pod/pod-manager.ts';
import { uidOf } from '../pod/pod-text.ts';
import type { NodeReporter } from './node-reporter.ts';

const CRITICAL_PRIORITY = 2_000_000_000;
const REASON = 'Terminated';
const MESSAGE = 'Pod was terminated in response to imminent node shutdown.';

interface Wave {
  /** Pods of at least this priority, and less than that of the next wave. */
  readonly priority: number;
  readonly seconds: number;
}

export interface ShutdownOptions {
  readonly config: KubeletConfiguration;
  readonly manager: PodManager;
  readonly reporter: NodeReporter;
  readonly events: PodEvents;
}

export class ShutdownManager {
  readonly #ctx: Context;
  readonly #options: ShutdownOptions;
  #shuttingDown = false;

  constructor(ctx: Context, options: ShutdownOptions) {
    this.#ctx = childContext(ctx, 'shutdown');
    this.#options = options;
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** Whether a shutdown is to be waited for at all. */
  get isConfigured(): boolean {
    return this.#waves().length > 0;
  }

  async shutDown(): Promise<void> {
    const waves = this.#waves();
    if (waves.length === 0 || this.#shuttingDown) return;
    this.#shuttingDown = true;
    this.#options.reporter.changed();
    this.#ctx.logger.info('The node is shutting down; pods are ended first');
    for (const [index, wave] of waves.entries()) {
      const below = waves[index + 1]?.priority ?? Infinity;
      await this.#endWave(this.#options.manager.activePods().filter(({ spec }) => (spec?.priority ?? 0) >= wave.priority && (spec?.priority ?? 0) < below), wave.seconds);
    }
  }

  #waves(): Wave[] {
    const { shutdownGracePeriodByPodPriority, shutdownGracePeriod, shutdownGracePeriodCriticalPods } = this.#options.config;
    if (shutdownGracePeriodByPodPriority.length > 0) {
      return shutdownGracePeriodByPodPriority.map((entry) => ({ priority: Number(entry['priority'] ?? 0), seconds: Number(entry['shutdownGracePeriodSeconds'] ?? 0) })).toSorted((a, b) => a.priority - b.priority);
    }
    if (shutdownGracePeriod <= 0) return [];
    return [
      { priority: -Infinity, seconds: (shutdownGracePeriod - shutdownGracePeriodCriticalPods) / 1000 },
      { priority: CRITICAL_PRIORITY, seconds: shutdownGracePeriodCriticalPods / 1000 },
    ];
  }

  async #endWave(pods: readonly Pod[], seconds: number): Promise<void> {
    const { manager } = this.#options;
    const { clock, signal } = this.#ctx;
    for (const pod of pods) {
      const graceSeconds = Math.min(seconds, pod.spec?.terminationGracePeriodSeconds ?? seconds);
      const condition = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message: MESSAGE, observedGeneration: pod.metadata.generation, lastTransitionTime: formatTime(clock.now()) };
      manager.terminate(uidOf(pod), { graceSeconds, verdict: { phase: 'Failed', reason: REASON, message: MESSAGE, conditions: [condition] } });
    }
    const deadline = clock.monotonic() + seconds * 1000;
    while (!signal.aborted && clock.monotonic() < deadline && pods.some((pod) => manager.worker(uidOf(pod))?.isStopped === false)) await clock.sleep(50, signal);
  }
}
