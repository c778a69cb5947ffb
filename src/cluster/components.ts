/** The components of a cluster's process by name; they can be stopped and restarted one by one. */
import { errorMessage } from '../base/index.ts';
import { childContext, isAbort, type Context } from '../kernel/index.ts';

type Run = (ctx: Context) => Promise<void>;

interface Component {
  readonly run: Run;
  stop: AbortController | undefined;
  ended: Promise<void>;
}

export interface ComponentState {
  readonly name: string;
  readonly running: boolean;
}

export class Components {
  readonly #components = new Map<string, Component>();
  readonly #failed: (error: unknown) => void;
  /** Rejects when a component has failed; never resolves. */
  readonly failure: Promise<never>;
  readonly #ctx: Context;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    let failed: (error: unknown) => void = () => undefined;
    this.failure = new Promise<never>((_, reject) => (failed = reject));
    this.failure.catch(() => undefined);
    this.#failed = failed;
  }

  get states(): ComponentState[] {
    return Array.from(this.#components, ([name, { stop }]) => ({ name, running: stop !== undefined }));
  }

  add(name: string, run: Run): void {
    if (this.#components.has(name)) throw new Error(`the component ${name} exists already`);
    this.#components.set(name, { run, stop: undefined, ended: Promise.resolve() });
    this.start(name);
  }

  /** Starts a stopped component. */
  start(name: string): void {
    const component = this.#component(name);
    if (component.stop !== undefined) return;
    const stop = new AbortController();
    component.stop = stop;
    const ctx = childContext(this.#ctx, name, AbortSignal.any([stop.signal, this.#ctx.signal]));
    component.ended = (async () => {
      try {
        await component.run(ctx);
      } catch (error) {
        if (!ctx.signal.aborted || !isAbort(error, ctx.signal))
          this.#failed(new Error(`${name}: ${errorMessage(error)}`, { cause: error }));
      } finally {
        component.stop = undefined;
      }
    })();
  }

  /** Stops a component as a crash would; resolves when it has ended. */
  async stop(name: string): Promise<void> {
    const component = this.#component(name);
    component.stop?.abort(new Error(`${name} was stopped`));
    await component.ended;
  }

  /** Resolves when all have ended, or those of these names; they do with the context. */
  async wait(names: readonly string[] = [...this.#components.keys()]): Promise<void> {
    await Promise.all(names.map((name) => this.#components.get(name)?.ended ?? Promise.resolve()));
  }

  #component(name: string): Component {
    const component = this.#components.get(name);
    if (component === undefined)
      throw new Error(`there is no component ${name}; there are ${[...this.#components.keys()].join(', ')}`);
    return component;
  }
}
