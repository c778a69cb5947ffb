import type { Cache } from '../../cache/cache.ts';
import { MAX_NODE_SCORE, type Plugin } from '../../framework/plugin.ts';
import { alwaysShared } from '../../framework/profile.ts';

const MB = 1024 * 1024;
/** Less than this on a node is not worth a point; more than this per image earns no further ones. */
const MIN_THRESHOLD = 23 * MB;
const MAX_CONTAINER_THRESHOLD = 1000 * MB;

/** Likes nodes that hold the pod's images, the more the more nodes hold them: a rare image draws no crowd to one node. */
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
