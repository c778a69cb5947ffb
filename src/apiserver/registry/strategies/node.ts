/**
 * A kubelet registers its node with a status; later writes of the status go through /status. Fields of dynamic kubelet
 * configuration stay only on nodes that have them already.
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
