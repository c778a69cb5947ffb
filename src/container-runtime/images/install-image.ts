/** Installs an image whose blobs are in the store: unpacks its layers, lowest first, and records it under its names. */
import { chainIds } from './digest.ts';
import { ImageError } from './image-error.ts';
import type { ImageNames, ImageRecord } from './image-records.ts';
import type { Lease } from './lease.ts';
import type { Descriptor, ImageConfig } from './manifest/oci-types.ts';
import type { StoreParts } from './store-parts.ts';

interface ImageToInstall {
  readonly config: ImageConfig;
  readonly configDigest: string;
  readonly manifestDigest: string;
  /** In the manifest's order, which is the config's order of diff ids. */
  readonly layers: readonly Pick<Descriptor, 'digest' | 'size'>[];
  /** Digests of index, manifest and config. */
  readonly documents: readonly string[];
  readonly documentBytes: number;
  readonly names: ImageNames;
  /** Resolves when a layer's blob has been downloaded. */
  readonly ready?: (layer: Pick<Descriptor, 'digest' | 'size'>) => Promise<void>;
}

export async function installImage(
  parts: StoreParts,
  lease: Lease,
  image: ImageToInstall,
  signal?: AbortSignal,
): Promise<ImageRecord> {
  const diffIds = image.config.rootfs.diff_ids;
  if (diffIds.length !== image.layers.length) {
    throw new ImageError(
      'FAILED_PRECONDITION',
      `the image's manifest has ${image.layers.length} layers, its config ${diffIds.length}`,
    );
  }
  const chain = chainIds(diffIds);
  lease.hold(...chain);
  for (const [index, layer] of image.layers.entries()) {
    const [chainId, diffId] = [chain[index], diffIds[index]];
    if (chainId === undefined || diffId === undefined) continue;
    await image.ready?.(layer);
    await parts.layers.unpack(
      { chainId, diffId, blob: parts.blobs.path(layer.digest), below: chain.slice(0, index) },
      signal,
    );
  }
  return parts.records.add(
    {
      id: image.configDigest,
      manifestDigest: image.manifestDigest,
      blobs: [...image.documents, ...image.layers.map((layer) => layer.digest)],
      layerBlobs: image.layers.map((layer) => layer.digest),
      layers: chain,
      size: image.documentBytes + image.layers.reduce((sum, layer) => sum + layer.size, 0),
    },
    image.names,
  );
}
