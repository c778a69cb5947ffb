/** The state of the container runtime: version, readiness, handlers and images. Updated with each node status. */
import { errorMessage } from '../../base/index.ts';
import type { ContainerRuntime, Image, RuntimeFeatures, RuntimeHandler } from '../../cri/index.ts';
import type { Context } from '../../kernel/index.ts';

export class RuntimeState {
  readonly #ctx: Context;
  readonly #runtime: ContainerRuntime;
  #problems: string[] = [];
  #images: readonly Image[] = [];
  name = 'unknown';
  version = '';
  handlers: readonly RuntimeHandler[] = [];
  features: RuntimeFeatures | undefined;

  constructor(ctx: Context, runtime: ContainerRuntime) {
    this.#ctx = ctx;
    this.#runtime = runtime;
  }

  /** Why the runtime is not ready. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  get networkProblem(): string | undefined {
    return this.#problems.find((problem) => problem.startsWith('container runtime network not ready'));
  }

  get recursiveReadOnly(): boolean {
    return this.handlers.some(({ name = '', features }) => name === '' && features?.recursiveReadOnlyMounts === true);
  }

  get userNamespaces(): boolean {
    return this.handlers.some(({ name = '', features }) => name === '' && features?.userNamespaces === true);
  }

  async update(): Promise<void> {
    const { runtime } = this.#runtime;
    try {
      if (this.version === '') {
        const { runtimeName = 'unknown', runtimeVersion = '' } = await runtime.version(
          { version: 'v1' },
          { signal: this.#ctx.signal },
        );
        this.name = runtimeName;
        this.version = `${runtimeName}://${runtimeVersion}`;
      }
      const { status, runtimeHandlers = [], features } = await runtime.status({}, { signal: this.#ctx.signal });
      this.handlers = runtimeHandlers;
      this.features = features;
      this.#problems = (status?.conditions ?? [])
        .filter(({ type, status: fine }) => (type === 'RuntimeReady' || type === 'NetworkReady') && fine !== true)
        .map(
          ({ type, reason, message }) =>
            `container runtime ${type === 'NetworkReady' ? 'network ' : ''}not ready: ${type}=false reason:${reason ?? ''} message:${message ?? ''}`,
        );
    } catch (error) {
      if (this.#ctx.signal.aborted) throw error;
      this.#problems = [`container runtime is down`];
      this.#ctx.logger.v(1).info('Container runtime sanity check failed', { err: errorMessage(error) });
    }
  }

  async images(): Promise<readonly Image[]> {
    try {
      this.#images = (await this.#runtime.images.listImages({}, { signal: this.#ctx.signal })).images ?? [];
    } catch (error) {
      if (this.#ctx.signal.aborted) throw error;
    }
    return this.#images;
  }
}
