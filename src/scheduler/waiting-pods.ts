/** Pods that have a node but wait in Permit until the plugins allow them to be bound. */
import type { Clock, Timer } from '../kernel/index.ts';
import type { PodInfo } from './cache/pod-info.ts';
import type { WaitingPod, WaitingPods } from './framework/handle.ts';
import { unschedulable, type Status } from './framework/status.ts';

export class WaitingPodsMap implements WaitingPods {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.size;
  }

  get(uid: string): WaitingPod | undefined {
    return this.#waiting.get(uid);
  }

  values(): Iterable<WaitingPod> {
    return this.#waiting.values();
  }

  /** Resolves when every plugin has allowed the pod, or one rejected it or its time is up. */
  wait(pod: PodInfo, nodeName: string, timeouts: ReadonlyMap<string, number>): Promise<Status | undefined> {
    return new Promise((resolve) => {
      const waiting = new Waiting(pod, nodeName, (status) => {
        this.#waiting.delete(pod.uid);
        resolve(status);
      });
      for (const [plugin, ms] of timeouts) {
        waiting.pending.set(
          plugin,
          this.#clock.after(ms, () =>
            waiting.reject(plugin, `rejected due to timeout after waiting ${formatWait(ms)} at plugin ${plugin}`),
          ),
        );
      }
      this.#waiting.set(pod.uid, waiting);
    });
  }
}

class Waiting implements WaitingPod {
  readonly pod: PodInfo;
  readonly nodeName: string;
  readonly pending = new Map<string, Timer>();
  readonly #end: (status: Status | undefined) => void;

  constructor(pod: PodInfo, nodeName: string, end: (status: Status | undefined) => void) {
    this.pod = pod;
    this.nodeName = nodeName;
    this.#end = end;
  }

  allow(plugin: string): void {
    this.pending.get(plugin)?.cancel();
    if (!this.pending.delete(plugin) || this.pending.size > 0) return;
    this.#end(undefined);
  }

  reject(plugin: string, message: string): void {
    if (this.pending.size === 0) return;
    for (const timer of this.pending.values()) timer.cancel();
    this.pending.clear();
    this.#end(unschedulable(message).from(plugin));
  }
}

function formatWait(ms: number): string {
  const seconds = ms / 1000;
  return seconds >= 60 ? `${Math.floor(seconds / 60)}m${seconds % 60}s` : `${seconds}s`;
}
