/** A pod network that delays a pod's containers until its NetworkPolicies are in force. */
import type { PodNetwork } from '../../container-runtime/index.ts';
import type { PodGate } from '../../network-policy/index.ts';

export function guardedNetwork(network: PodNetwork, gate: PodGate): PodNetwork {
  return {
    kind: network.kind,
    attach: async (sandbox) => {
      const attachment = await network.attach(sandbox);
      try {
        await gate.admit({
          sandboxId: sandbox.id,
          namespace: sandbox.namespace,
          name: sandbox.name,
          ips: attachment.ips,
        });
      } catch (error) {
        await network.detach(sandbox);
        throw error;
      }
      return attachment;
    },
    detach: async (sandbox) => {
      await network.detach(sandbox);
      gate.release({ sandboxId: sandbox.id, namespace: sandbox.namespace, name: sandbox.name });
    },
    attachment: (id) => network.attachment(id),
    check: (sandbox) => network.check(sandbox),
    ready: () => network.ready(),
    configure: (config) => network.configure(config),
    reconcile: (ids) => network.reconcile(ids),
    close: () => network.close(),
  };
}
