/** The plugin ImageLocality: prefers nodes that have the images of the pod. */
import type { Cache } from '../../cache/cache.ts';
import { MAX_NODE_SCORE, type Plugin } from '../../framework/plugin.ts';
import { alwaysShared } from '../../framework/profile.ts';

const MB = 1024 * 1024;
/** Image sizes below the first threshold score 0; the second one, times the number of containers, scores 100. */
const MIN_THRESHOLD = 23 * MB;
const MAX_CONTAINER_THRESHOLD = 1000 * MB;

/** An image counts more when more nodes have it, so that a rare image does not attract all pods to one node. */
export function imageLocality(cache: Cache): Plugin {
  return {
    name: 'ImageLocality',
    signature: alwaysShared,
    bindScore(_state, pod) {
      const images = pod.shape.images.map(normalizedImageName);
      const maxThreshold = MAX_CONTAINER_THRESHOLD * images.length;
      return (node) => {
        if (node.images.size === 0) return 0;
        let sum = 0;
        for (const image of images) {
          const size = node.images.get(image);
          if (size !== undefined)
            sum += Math.floor(size * ((cache.imageNodes.get(image) ?? 0) / cache.table.nodeCount));
        }
        const bounded = Math.min(Math.max(sum, MIN_THRESHOLD), maxThreshold);
        return Math.floor((MAX_NODE_SCORE * (bounded - MIN_THRESHOLD)) / (maxThreshold - MIN_THRESHOLD));
      };
    },
  };
}

/** Names without a tag mean `:latest`. */
export function normalizedImageName(name: string): string {
  return name.lastIndexOf(':') <= name.lastIndexOf('/') ? `${name}:latest` : name;
}
