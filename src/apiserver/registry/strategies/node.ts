/** A kubelet registers its node with the status that it found; later the status has an endpoint of its own. */
import type { Node } from '../../../api/generated/core-v1.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';

export const nodes: Strategy<ObjectOf<Node>> = { keepStatusOnCreate: true };
