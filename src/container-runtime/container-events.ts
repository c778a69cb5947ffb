/** Publishes container events to the subscribers of CRI's GetContainerEvents. */
import type { ContainerEventResponse } from '../cri/index.ts';

/** A slow subscriber loses the oldest events; the kubelet relists anyway. */
const MAX_BACKLOG = 10_000;

export class ContainerEvents {
  readonly #listeners = new Set<(event: ContainerEventResponse) => void>();

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  publish(event: ContainerEventResponse): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Every event from now on, until the signal aborts. */
  async *subscribe(signal: AbortSignal): AsyncGenerator<ContainerEventResponse> {
    const backlog: ContainerEventResponse[] = [];
    let wake: () => void = () => {};
    const listener = (event: ContainerEventResponse): void => {
      if (backlog.length >= MAX_BACKLOG) backlog.shift();
      backlog.push(event);
      wake();
    };
    const ended = (): void => wake();
    this.#listeners.add(listener);
    signal.addEventListener('abort', ended, { once: true });
    try {
      while (!signal.aborted) {
        const event = backlog.shift();
        if (event !== undefined) yield event;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.#listeners.delete(listener);
      signal.removeEventListener('abort', ended);
    }
  }
}
