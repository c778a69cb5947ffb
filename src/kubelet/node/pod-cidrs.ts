/** Tells the runtime the node's pod ranges as soon as the node has them, and again when they change. */
import type { Node } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import type { ContainerRuntime } from '../../cri/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';

const RETRY_MS = 1000;

export class PodCidrs {
  readonly #ctx: Context;
  readonly #options: { readonly runtime: ContainerRuntime; readonly onConfigured: () => Promise<void> };
  #wanted = '';
  #told = '';
  #telling = false;

  constructor(ctx: Context, options: { runtime: ContainerRuntime; onConfigured: () => Promise<void> }) {
    this.#ctx = childContext(ctx, 'pod-cidrs');
    this.#options = options;
  }

  set({ spec }: Node): void {
    this.#wanted = (spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : [])).join(',');
    if (!this.#telling && this.#wanted !== this.#told) void this.#tell();
  }

  async #tell(): Promise<void> {
    const { clock, signal, logger } = this.#ctx;
    this.#telling = true;
    while (!signal.aborted && this.#wanted !== this.#told) {
      const podCidr = this.#wanted;
      try {
        await this.#options.runtime.runtime.updateRuntimeConfig(
          { runtimeConfig: { networkConfig: { podCidr } } },
          { signal },
        );
        this.#told = podCidr;
        await this.#options.onConfigured();
      } catch (error) {
        if (signal.aborted) break;
        logger
          .v(1)
          .info('Failed to update the pod ranges of the runtime', { podCIDR: podCidr, err: errorMessage(error) });
        await clock.sleep(RETRY_MS, signal).catch(() => {});
      }
    }
    this.#telling = false;
  }
}
