/**
 * Writes a Scheduled event for each pod that was bound, when the scheduler is not busy. Drops the oldest when too many
 * wait.
 */
import { formatMicroTime } from '../base/index.ts';
import type { Client } from '../client/index.ts';
import { type Context, WakeUp } from '../kernel/index.ts';
import type { PodInfo } from './cache/pod-info.ts';
import type { SchedulerEventPacing } from './event-pacer.ts';

/** Events written at the same time: the store commits them together, which is cheaper. */
const MAX_BATCH = 16;
/** The list is truncated when this many of its first entries were written. */
const MAX_WRITTEN = 1000;

/** What the event tells. Thousands may wait, so they do not hold their pods: these may have changed, or be gone, meanwhile. */
interface ScheduledPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string | undefined;
  readonly schedulerName: string;
  readonly attempt: number;
  readonly nodeName: string;
  readonly at: number;
}

export class ScheduledEvents {
  readonly #ctx: Context;
  readonly #client: Client;
  readonly #instance: string;
  readonly #pacer: SchedulerEventPacing;
  #waiting: ScheduledPod[] = [];
  #next = 0;
  readonly #wakeUp = new WakeUp();

  constructor(ctx: Context, options: { client: Client; instance: string; eventPacer: SchedulerEventPacing }) {
    this.#ctx = ctx;
    this.#client = options.client;
    this.#instance = options.instance;
    this.#pacer = options.eventPacer;
  }

  add(pod: PodInfo, nodeName: string): void {
    this.#pacer.noteActivity();
    const { namespace, name, uid, schedulerName, attempt } = pod;
    const { resourceVersion } = pod.pod.metadata;
    const at = this.#ctx.clock.now();
    this.#waiting.push({ namespace, name, uid, resourceVersion, schedulerName, attempt, nodeName, at });
    if (this.#waiting.length - this.#next > this.#pacer.maxWaiting) this.#next++;
    this.#wakeUp.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const next = this.#waiting[this.#next];
      if (next === undefined) {
        this.#waiting = [];
        this.#next = 0;
        await this.#wakeUp.wait(signal);
        continue;
      }
      await this.#pacer.mayWrite(next.at, signal);
      const due = this.#waiting.slice(this.#next, this.#next + (this.#pacer.isBusy() ? 1 : MAX_BATCH));
      this.#next += due.length;
      if (this.#next > MAX_WRITTEN) this.#next -= this.#waiting.splice(0, this.#next).length;
      await Promise.all(due.map((pod) => this.#write(pod, signal)));
    }
  }

  async #write(scheduled: ScheduledPod, signal: AbortSignal): Promise<void> {
    try {
      await this.#create(scheduled, signal);
    } catch (error) {
      if (!signal.aborted)
        this.#ctx.logger
          .v(2)
          .info('Failed to write event', { pod: `${scheduled.namespace}/${scheduled.name}`, err: error });
    }
  }

  async #create(scheduled: ScheduledPod, signal: AbortSignal): Promise<void> {
    const { namespace, name, uid, resourceVersion, schedulerName, attempt, nodeName, at } = scheduled;
    await this.#client.resource('events.k8s.io/v1/events').create(
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace, name: `${name}.${BigInt(Math.round(at * 1e6)).toString(16)}` },
        eventTime: formatMicroTime(at),
        reportingController: schedulerName,
        reportingInstance: this.#instance,
        action: 'Binding',
        reason: 'Scheduled',
        regarding: { kind: 'Pod', namespace, name, uid, apiVersion: 'v1', resourceVersion },
        note: `Successfully assigned ${namespace}/${name} to ${nodeName}`,
        type: 'Normal',
      },
      { signal, cause: attempt },
    );
  }
}
