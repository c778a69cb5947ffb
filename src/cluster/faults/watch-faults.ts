/** Faults of watches: broken or stalled ones. */
import type { ApiRequest, ApiResponse, FrameSink } from '../../apiserver/index.ts';
import type { Fault } from './fault.ts';
import { matches, type RequestFacts, type RequestMatch } from './request-match.ts';

interface OpenWatch {
  readonly request: ApiRequest;
  readonly facts: RequestFacts;
  /** Aborting it breaks the watch. */
  readonly broken: AbortController;
  /** Frames written while the watch is stalled; undefined while it is not. */
  held: (() => void)[] | undefined;
}

interface Stall extends Fault {
  readonly match: RequestMatch;
  hits: number;
}

export class WatchFaults {
  readonly #open = new Set<OpenWatch>();
  readonly #stalls = new Set<Stall>();

  drop(match: RequestMatch): number {
    const dropped = [...this.#open].filter(({ request, facts }) => matches(match, request, facts));
    for (const watch of dropped) watch.broken.abort(new Error('the watch was dropped'));
    return dropped.length;
  }

  stall(match: RequestMatch): Fault {
    const stall: Stall = {
      match,
      hits: 0,
      lift: () => {
        this.#stalls.delete(stall);
        this.#release();
      },
    };
    this.#stalls.add(stall);
    for (const watch of this.#open) this.#hold(watch);
    return stall;
  }

  clear(): void {
    this.#stalls.clear();
    this.#release();
  }

  /** Intercepts the frames of a watch. */
  attach(request: ApiRequest, facts: RequestFacts, response: ApiResponse): ApiResponse {
    const { result, stream } = response;
    const open = <Sink extends FrameSink<never>>(run: (sink: Sink) => Promise<void>, sink: Sink): Promise<void> =>
      this.#run({ request, facts, broken: new AbortController(), held: undefined }, run, sink);
    if (result?.type === 'watch')
      return { ...response, result: { ...result, deliver: (sink) => open(result.deliver, sink) } };
    return stream ? { ...response, stream: (sink) => open(stream, sink) } : response;
  }

  async #run<Sink extends FrameSink<never>>(
    watch: OpenWatch,
    run: (sink: Sink) => Promise<void>,
    sink: Sink,
  ): Promise<void> {
    this.#open.add(watch);
    this.#hold(watch);
    const signal = AbortSignal.any([sink.signal, watch.broken.signal]);
    const between = new Proxy(sink, {
      get(target, property) {
        if (property === 'signal') return signal;
        if (property === 'write') {
          return (frame: never) => {
            if (watch.held === undefined) return target.write(frame);
            watch.held.push(() => target.write(frame));
            return true;
          };
        }
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    try {
      await run(between);
    } finally {
      this.#open.delete(watch);
    }
    if (watch.broken.signal.aborted) throw watch.broken.signal.reason as Error;
  }

  #hold(watch: OpenWatch): void {
    for (const stall of this.#stalls) {
      if (!matches(stall.match, watch.request, watch.facts)) continue;
      stall.hits++;
      watch.held ??= [];
    }
  }

  /** Flushes the watches that no stall matches any more. */
  #release(): void {
    for (const watch of this.#open) {
      if (watch.held === undefined || [...this.#stalls].some(({ match }) => matches(match, watch.request, watch.facts)))
        continue;
      const { held } = watch;
      watch.held = undefined;
      for (const write of held) write();
    }
  }
}
