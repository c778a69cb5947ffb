/** Deletes what no image, container, volume or running work refers to. */
import type { GarbageReport } from './image-store.ts';
import type { StoreParts } from './store-parts.ts';

/** `layersInUse`: chain ids below snapshots and volumes; containers keep their layers when the image's name is gone. */
export async function collectGarbage(
  { blobs, layers, records, leases }: StoreParts,
  layersInUse: () => readonly string[],
): Promise<GarbageReport> {
  let [removedBlobs, removedLayers, bytes] = [0, 0, 0];
  for (const { digest, size } of await blobs.list()) {
    // Asked anew for each: between two deletions a pull may have begun.
    if (leases.holds(digest) || records.list().some((image) => image.blobs.includes(digest))) continue;
    await blobs.remove(digest);
    removedBlobs++;
    bytes += size;
  }
  for (const layer of layers.list()) {
    const { chainId } = layer;
    if (
      leases.holds(chainId) ||
      layersInUse().includes(chainId) ||
      records.list().some((image) => image.layers.includes(chainId))
    )
      continue;
    await layers.remove(chainId);
    removedLayers++;
    bytes += layer.bytes;
  }
  return { blobs: removedBlobs, layers: removedLayers, bytes };
}
