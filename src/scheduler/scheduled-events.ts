/** Tells of pods that got their node, one event each, when there is time for it; the oldest are dropped when too many wait. */
import type { Client } from '../client/index.ts';
import type { Context } from '../kernel/index.ts';
import { formatMicroTime } from '../machinery/time/index.ts';
import type { PodInfo } from './cache/pod-info.ts';
import type { EventPace } from './event-pace.ts';

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
    const { logger } = this.#ctx;
    while (!signal.aborted) {
      const next = this.#waiting[this.#next];
      if (next === undefined) {
        this.#waiting = [];
        this.#next = 0;
        await this.#more(signal);
        continue;
      }
      await this.#pace.mayWrite(next.at, signal);
      this.#next++;
      await this.#write(next, signal).catch((error: unknown) => {
        if (!signal.aborted) logger.v(2).info('Could not write event', { pod: next.pod.key, err: error });
      });
    }
  }

  async #write({ pod, nodeName, at }: Placed, signal: AbortSignal): Promise<void> {
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
        regarding: { kind: 'Pod', namespace, name, uid, apiVersion: 'v1', resourceVersion: pod.pod.metadata.resourceVersion },
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
