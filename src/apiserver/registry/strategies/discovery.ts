import type { EndpointSlice } from '../../../api/generated/discovery-v1.ts';
import { deepEqual } from '../../../base/index.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';

/** A slice counts every change of what it lists, and of its labels: they say which Service it belongs to. */
export const endpointSlices: Strategy<ObjectOf<EndpointSlice>> = {
  generationChanges(slice, old) {
    const { metadata, ...content } = slice;
    const { metadata: oldMetadata, ...oldContent } = old;
    return !deepEqual(content, oldContent) || !deepEqual(metadata.labels ?? {}, oldMetadata.labels ?? {});
  },
  prepareForCreate(slice) {
    for (const endpoint of slice.endpoints ?? []) delete endpoint.deprecatedTopology;
  },
  prepareForUpdate(slice, old) {
    for (const [i, endpoint] of (slice.endpoints ?? []).entries()) {
      // It came through an older version: it may stay, but this one cannot bring it.
      if (!deepEqual(endpoint.deprecatedTopology, old.endpoints?.[i]?.deprecatedTopology))
        delete endpoint.deprecatedTopology;
    }
  },
};
