import type { EndpointSlice } from '../../../api/generated/discovery-v1.ts';
import { deepEqual } from '../../../base/index.ts';
import { nameIsDnsSubdomain } from '../../../machinery/names/index.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';

const HOSTNAME = 'kubernetes.io/hostname';

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
  /** deprecatedTopology can be kept from v1beta1 but not set through v1. */
  prepareForUpdate(slice, old) {
    if (deepEqual(slice.endpoints ?? [], old.endpoints ?? [])) return;
    // As upstream, a write of the dropped field counts.
    slice.metadata.generation = (old.metadata.generation ?? 0) + 1;
    const known = new Set((old.endpoints ?? []).map((endpoint) => endpoint.deprecatedTopology?.[HOSTNAME]));
    for (const endpoint of slice.endpoints ?? []) {
      const nodeName = endpoint.deprecatedTopology?.[HOSTNAME];
      if (
        endpoint.nodeName === undefined &&
        nodeName &&
        known.has(nodeName) &&
        nameIsDnsSubdomain(nodeName, false).length === 0
      )
        endpoint.nodeName = nodeName;
      delete endpoint.deprecatedTopology;
    }
  },
};
