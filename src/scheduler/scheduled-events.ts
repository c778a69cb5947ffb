/** Tells of pods that got their node, one event each, when there is time for it; the oldest are dropped when too many wait. */

import { formatMicroTime } from '../base/index.ts';
import type { Client } from '../client/index.ts';
import type { Context } from '../kernel/index.ts';
import type { PodInfo } from './cache/pod-info.ts';
import type { EventPace } from './event-pace.ts';

/** At once, when there is time: they share a commit of the store, which costs more than an event. */
const TOGETHER = 16;
/** So many that were told of may stay in the list. */
const MAX_TOLD = 1000;

interface Placed {
  readonly pod: PodInfo;
  readonly nodeName: string;
  readonly at: number;
}

export class ScheduledEvents {
  readonly #ctx: Context;
  readonly #client: Client;
  readonly #instance: string;
  readonly #pace: EventPace;
  #waiting: Placed[] = [];
  #next = 0;
  #wake: (() => void) | undefined;

  constructor(ctx: Context, options: { client: Client; instance: string; pace: EventPace }) {
    this.#ctx = ctx;
    this.#client = options.client;
    this.#instance = options.instance;
    this.#pace = options.pace;
  }

  placed(pod: PodInfo, nodeName: string): void {
    this.#pace.working();
    this.#waiting.push({ pod, nodeName, at: this.#ctx.clock.now() });
    if (this.#waiting.length - this.#next > this.#pace.maxWaiting) this.#next++;
    this.#wake?.();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const next = this.#waiting[this.#next];
      if (next === undefined) {
        this.#waiting = [];
        this.#next = 0;
        await this.#more(signal);
        continue;
      }
      await this.#pace.mayWrite(next.at, signal);
      const due = this.#waiting.slice(this.#next, this.#next + (this.#pace.isBusy() ? 1 : TOGETHER));
      this.#next += due.length;
      if (this.#next > MAX_TOLD) this.#next -= this.#waiting.splice(0, this.#next).length;
      await Promise.all(due.map((one) => this.#write(one, signal)));
    }
  }

  async #write(placed: Placed, signal: AbortSignal): Promise<void> {
    try {
      await this.#create(placed, signal);
    } catch (error) {
      if (!signal.aborted) this.#ctx.logger.v(2).info('Could not write event', { pod: placed.pod.key, err: error });
    }
  }

  async #create({ pod, nodeName, at }: Placed, signal: AbortSignal): Promise<void> {
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
      { signal },
    );
  }

  #more(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#wake = undefined;
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#wake = done;
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
