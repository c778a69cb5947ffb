/**
 * The node fleet: nodes of this machine that run containers, with the fabric between them, what they share, and each
 * node's kubelet, kube-proxy and network policy agent.
 */
export { NodeFleet } from './node-fleet.ts';
export { deleteNode, deletePodsOf } from './delete-node.ts';
export { freeName } from './free-name.ts';
export { openFleet, removeLeftovers, startFleet } from './open-fleet.ts';

export {
  buildImage,
  listImages,
  loadImage,
  loadImageFrom,
  pullImage,
  pushImage,
  type ImageNodes,
  type TransferOptions,
} from './fleet-images.ts';
