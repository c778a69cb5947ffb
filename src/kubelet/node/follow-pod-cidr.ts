/** Tells the runtime which addresses the node's pods get, as soon as the Node says so: without it there is no network. */
import type { Node } from '../../api/generated/core-v1.ts';
import type { SharedInformer } from '../../client/index.ts';
import type { ContainerRuntime } from '../../cri/index.ts';
import type { Context } from '../../kernel/index.ts';

export interface PodCidrOptions {
  /** Of this node alone. */
  readonly nodes: SharedInformer<Node>;
  readonly runtime: ContainerRuntime;
  /** Called when the runtime has been told. */
  readonly onChange: () => void;
}

export async function followPodCidr(ctx: Context, { nodes, runtime, onChange }: PodCidrOptions): Promise<void> {
  let told = '';
  let telling = Promise.resolve();
  const tell = ({ spec }: Node): void => {
    const podCidr = (spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : [])).join(',');
    telling = telling.then(async () => {
      if (podCidr === '' || podCidr === told || ctx.signal.aborted) return;
      try {
        await runtime.runtime.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr } } });
        told = podCidr;
        onChange();
      } catch (error) {
        ctx.logger.error(error, 'Failed to update pod CIDR', { podCidr });
      }
    });
  };
  const forget = nodes.addHandler({ onAdd: tell, onUpdate: (_before, after) => tell(after) });
  await new Promise<void>((resolve) => (ctx.signal.aborted ? resolve() : ctx.signal.addEventListener('abort', () => resolve(), { once: true })));
  forget();
  await telling;
}
