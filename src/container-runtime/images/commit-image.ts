/** Adds a layer and a config to an image, as a new image: one step of a build. */
import { stat } from 'node:fs/promises';
import { digestOf } from './digest.ts';
import type { ImageRecord } from './image-records.ts';
import { installImage } from './install-image.ts';
import { OCI_CONFIG, OCI_LAYER, OCI_MANIFEST } from './manifest/media-types.ts';
import type { Descriptor, ImageConfig, Manifest, ProcessDefaults } from './manifest/oci-types.ts';
import { parseConfig } from './manifest/parse-manifest.ts';
import { formatReference, normalizeReference } from './reference.ts';
import type { StoreParts } from './store-parts.ts';

export interface CommitOptions {
  /** The image below; without it the layer is the first. */
  readonly base?: string;
  /** A tar, not compressed; one without bytes adds no layer. */
  readonly layer?: AsyncIterable<Uint8Array>;
  readonly config: ProcessDefaults;
  /** The instruction, for the image's history. */
  readonly createdBy?: string;
  readonly tag: string;
}

export async function commitImage(parts: StoreParts, options: CommitOptions): Promise<ImageRecord> {
  const lease = parts.leases.take();
  try {
    const below = options.base === undefined ? undefined : await readBase(parts, options.base);
    lease.hold(...(below?.layers.map(({ digest }) => digest) ?? []));
    const layer = options.layer && (await parts.blobs.add(options.layer, (digest) => lease.hold(digest)));
    const added: Descriptor[] =
      layer && (layer.size ?? 0) > 0 ? [{ mediaType: OCI_LAYER, digest: layer.digest, size: layer.size ?? 0 }] : [];
    const config: ImageConfig = {
      architecture: parts.platform.architecture,
      os: parts.platform.os,
      ...(parts.platform.variant ? { variant: parts.platform.variant } : {}),
      config: options.config,
      // The layer is not compressed, so that its digest is its diff id.
      rootfs: {
        type: 'layers',
        diff_ids: [...(below?.config.rootfs.diff_ids ?? []), ...added.map(({ digest }) => digest)],
      },
      history: [
        ...(below?.config.history ?? []),
        { created_by: options.createdBy ?? '', ...(added.length === 0 ? { empty_layer: true } : {}) },
      ],
    };
    const configBytes = Buffer.from(JSON.stringify(config));
    const layers = [...(below?.layers ?? []), ...added];
    const manifest: Manifest = {
      schemaVersion: 2,
      mediaType: OCI_MANIFEST,
      config: { mediaType: OCI_CONFIG, digest: digestOf(configBytes), size: configBytes.length },
      layers,
    };
    const manifestBytes = Buffer.from(JSON.stringify(manifest));
    const [configDigest, manifestDigest] = [digestOf(configBytes), digestOf(manifestBytes)];
    lease.hold(configDigest, manifestDigest);
    await parts.blobs.put(configBytes);
    await parts.blobs.put(manifestBytes);
    return await installImage(parts, lease, {
      config,
      configDigest,
      manifestDigest,
      layers,
      documents: [manifestDigest, configDigest],
      documentBytes: configBytes.length + manifestBytes.length,
      names: { tag: formatReference(normalizeReference(options.tag)) },
    });
  } finally {
    lease.release();
  }
}

interface Base {
  readonly config: ImageConfig;
  readonly layers: readonly Descriptor[];
}

async function readBase(parts: StoreParts, reference: string): Promise<Base> {
  const record = parts.records.find(reference);
  if (record === undefined) throw new Error(`image ${JSON.stringify(reference)}: not found`);
  const config = parseConfig(await parts.blobs.read(record.id));
  const manifest = JSON.parse((await parts.blobs.read(record.manifestDigest)).toString('utf8')) as Partial<Manifest>;
  const types = new Map(manifest.layers?.map(({ digest, mediaType }) => [digest, mediaType]));
  const layers = await Promise.all(
    record.layerBlobs.map(async (digest) => ({
      mediaType: types.get(digest) ?? OCI_LAYER,
      digest,
      size: (await stat(parts.blobs.path(digest))).size,
    })),
  );
  return { config, layers };
}
