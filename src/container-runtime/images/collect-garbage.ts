/**
 * Image garbage collection (image GC) of the store: deletes blobs and layers that no image, snapshot, volume or lease
 * uses.
 */
import type { GarbageReport } from './image-store.ts';
import type { StoreParts } from './store-parts.ts';

/**
 * `layersInUse` are the chain ids of mounted snapshots and volumes: containers keep their layers when the image is
 * removed.
 */
export async function collectGarbage(
  { blobs, layers, records, leases }: StoreParts,
  layersInUse: () => readonly string[],
): Promise<GarbageReport> {
  let [removedBlobs, removedLayers, bytes] = [0, 0, 0];
  for (const { digest, size } of await blobs.list()) {
    // Checked for each blob, because a pull may start between two deletions.
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
