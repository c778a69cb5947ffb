import type { EndpointSlice } from '../../../api/generated/discovery-v1.ts';
import { deepEqual } from '../../../base/index.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';

/** A slice's generation grows with every change of what it lists and of its labels, which name its Service. */
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
      // deprecatedTopology can be kept from v1beta1 but not set through v1.
      if (!deepEqual(endpoint.deprecatedTopology, old.endpoints?.[i]?.deprecatedTopology))
        delete endpoint.deprecatedTopology;
    }
  },
};
