/** Loads `docker save` archives: manifest.json lists the config file, the layer files and the tags of each image. */
import { open } from 'node:fs/promises';
import { posix } from 'node:path';
import { detectCompression } from '../compression/decompress.ts';
import { digestOf } from '../digest.ts';
import { ImageError } from '../image-error.ts';
import type { ImageRecord } from '../image-records.ts';
import { installImage } from '../install-image.ts';
import type { Lease } from '../lease.ts';
import { OCI_CONFIG, OCI_LAYER, OCI_MANIFEST } from '../manifest/media-types.ts';
import { parseConfig } from '../manifest/parse-manifest.ts';
import { formatReference, normalizeReference } from '../reference.ts';
import type { StoreParts } from '../store-parts.ts';
import type { ArchiveFiles } from './archive-files.ts';

interface DockerManifest {
  readonly config: string;
  readonly repoTags: readonly string[];
  readonly layers: readonly string[];
}

export async function installDockerArchive(
  parts: StoreParts,
  lease: Lease,
  files: ArchiveFiles,
  signal?: AbortSignal,
): Promise<ImageRecord[]> {
  const installed: ImageRecord[] = [];
  for (const item of parseDockerManifests(files.document('manifest.json') ?? Buffer.alloc(0))) {
    const configFile = files.require(posix.normalize(item.config));
    const configBytes = await files.read(posix.normalize(item.config));
    const config = parseConfig(configBytes);
    const layers = [];
    for (const name of item.layers) {
      const { digest, size } = files.require(posix.normalize(name));
      layers.push({ mediaType: await layerType(parts.blobs.path(digest)), digest, size });
    }
    // The archive has no OCI manifest, so one is generated.
    const manifest = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: OCI_MANIFEST,
        config: { mediaType: OCI_CONFIG, digest: configFile.digest, size: configFile.size },
        layers,
      }),
    );
    const manifestDigest = digestOf(manifest);
    lease.hold(manifestDigest);
    await parts.blobs.put(manifest);
    const image = {
      config,
      configDigest: configFile.digest,
      manifestDigest,
      layers,
      documents: [manifestDigest, configFile.digest],
      documentBytes: manifest.length + configBytes.length,
    };
    const tags =
      item.repoTags.length === 0 ? [undefined] : item.repoTags.map((tag) => formatReference(normalizeReference(tag)));
    for (const tag of tags) {
      const record = await installImage(parts, lease, { ...image, names: tag === undefined ? {} : { tag } }, signal);
      const at = installed.findIndex(({ id }) => id === record.id);
      if (at === -1) installed.push(record);
      else installed[at] = record;
    }
  }
  return installed;
}

function parseDockerManifests(bytes: Buffer): DockerManifest[] {
  const invalid = (): ImageError =>
    new ImageError('INVALID_ARGUMENT', "the archive's manifest.json is not what docker save writes");
  let list: unknown;
  try {
    list = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalid();
  }
  if (!Array.isArray(list)) throw invalid();
  return list.map((item: unknown) => {
    if (typeof item !== 'object' || item === null) throw invalid();
    const { Config, RepoTags, Layers } = item as Record<string, unknown>;
    if (typeof Config !== 'string' || !isStrings(Layers ?? []) || !isStrings(RepoTags ?? [])) throw invalid();
    return { config: Config, layers: (Layers ?? []) as string[], repoTags: (RepoTags ?? []) as string[] };
  });
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

async function layerType(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const start = Buffer.alloc(4);
    await file.read(start, 0, 4, 0);
    const compression = detectCompression(start);
    return compression === 'none' ? OCI_LAYER : `${OCI_LAYER}+${compression}`;
  } finally {
    await file.close();
  }
}
