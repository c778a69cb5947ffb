/**
 * A kubelet registers its node with the status that it found; later the status has an endpoint of its own. Nodes took
 * their kubelets' configuration from the API once: only those that still have such fields keep them.
 */
import type { Node } from '../../../api/generated/core-v1.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';

export const nodes: Strategy<ObjectOf<Node>> = {
  keepStatusOnCreate: true,
  prepareForCreate: (node) => dropConfigurations(node, undefined),
  prepareForUpdate: (node, old) => dropConfigurations(node, old),
  prepareForStatusUpdate: (node, old) => dropConfigurations(node, old),
};

function dropConfigurations(node: Node, old: Node | undefined): void {
  if (node.spec?.configSource && !old?.spec?.configSource) delete node.spec.configSource;
  if (node.status?.config && !old?.status?.config) delete node.status.config;
}
