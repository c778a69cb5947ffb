/** kube-proxy of one node of a world: it writes into this table what others write into the kernel. */
import { DEFAULT_KUBE_PROXY_CONFIG, run, type Plans, type ProxiedKernel } from '../../kube-proxy/index.ts';
import type { ProcessContext } from './processes.ts';
import { componentUser } from './users.ts';

const CONFIG = { ...DEFAULT_KUBE_PROXY_CONFIG, healthzBindAddress: '', metricsBindAddress: '' };
const NODE = 'sim-0';

export class WorldProxy {
  /** By the Service, as the kernel has them: rules outlive the process. */
  #plans: Plans = new Map();

  /** Where the node sends what comes for a Service, `namespace/name`: the addresses of its endpoints. */
  endpointsOf(service: string): readonly string[] {
    const addresses = (this.#plans.get(service) ?? []).flatMap(({ endpoints }) =>
      endpoints.cluster.map(({ ip }) => ip),
    );
    return [...new Set(addresses)].sort();
  }

  /** The Services that the node knows. */
  get services(): readonly string[] {
    return [...this.#plans.keys()];
  }

  run(ctx: ProcessContext): Promise<void> {
    const client = ctx.clientAs(componentUser('kube-proxy'), 'kube-proxy');
    return run(ctx, { client, config: CONFIG, nodeName: NODE, kernel: this.#kernel(ctx) });
  }

  #kernel({ signal }: ProcessContext): ProxiedKernel {
    const write = (plans: Plans): Promise<void> => {
      // A process that was killed writes no more.
      if (!signal.aborted) this.#plans = new Map(plans);
      return Promise.resolve();
    };
    const done = (): Promise<void> => Promise.resolve();
    return {
      writer: {
        replaceAll: write,
        update: (_changed, all) => write(all),
        removeAll: () => write(new Map()),
        close: () => undefined,
      },
      // Nothing is connected in a world.
      conntrack: { deleteEntries: done, deleteHalfOpen: done },
    };
  }
}
