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

interface ScheduledPod {
  readonly pod: PodInfo;
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
    this.#waiting.push({ pod, nodeName, at: this.#ctx.clock.now() });
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
      if (!signal.aborted) this.#ctx.logger.v(2).info('Failed to write event', { pod: scheduled.pod.key, err: error });
    }
  }

  async #create({ pod, nodeName, at }: ScheduledPod, signal: AbortSignal): Promise<void> {
    const { namespace, name, uid } = pod;
    await this.#client.resource('events.k8s.io/v1/events').create(
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace, name: `${name}.${BigInt(Math.round(at * 1e6)).toString(16)}` },
        eventTime: formatMicroTime(at),
        reportingController: pod.schedulerName,
        reportingInstance: this.#instance,
        action: 'Binding',
        reason: 'Scheduled',
        regarding: {
          kind: 'Pod',
          namespace,
          name,
          uid,
          apiVersion: 'v1',
          resourceVersion: pod.pod.metadata.resourceVersion,
        },
        note: `Successfully assigned ${namespace}/${name} to ${nodeName}`,
        type: 'Normal',
      },
      { signal, cause: pod.attempt },
    );
  }
}
