/** Sets the Node's pod CIDRs in the runtime (UpdateRuntimeConfig) whenever they change. */
import type { Node } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import { podCidrsOf } from '../../component-helpers/index.ts';
import type { ContainerRuntime } from '../../cri/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';

const RETRY_MS = 1000;

export class PodCidrUpdater {
  readonly #ctx: Context;
  readonly #options: { readonly runtime: ContainerRuntime; readonly onConfigured: () => Promise<void> };
  #podCidr = '';
  #configured = '';
  #isUpdating = false;

  constructor(ctx: Context, options: { runtime: ContainerRuntime; onConfigured: () => Promise<void> }) {
    this.#ctx = childContext(ctx, 'pod-cidrs');
    this.#options = options;
  }

  set(node: Node): void {
    this.#podCidr = podCidrsOf(node).join(',');
    if (!this.#isUpdating && this.#podCidr !== this.#configured) void this.#update();
  }

  async #update(): Promise<void> {
    const { clock, signal, logger } = this.#ctx;
    this.#isUpdating = true;
    while (!signal.aborted && this.#podCidr !== this.#configured) {
      const podCidr = this.#podCidr;
      try {
        await this.#options.runtime.runtime.updateRuntimeConfig(
          { runtimeConfig: { networkConfig: { podCidr } } },
          { signal },
        );
        this.#configured = podCidr;
        await this.#options.onConfigured();
      } catch (error) {
        if (signal.aborted) break;
        logger
          .v(1)
          .info('Failed to update the pod CIDR of the runtime', { podCIDR: podCidr, err: errorMessage(error) });
        await clock.sleep(RETRY_MS, signal).catch(() => {});
      }
    }
    this.#isUpdating = false;
  }
}
