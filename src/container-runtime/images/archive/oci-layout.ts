/** Loads OCI image layouts: index.json lists manifests by digest; all content is in blobs/<algorithm>/<hex>. */
import { parseDigest } from '../digest.ts';
import { ImageError } from '../image-error.ts';
import type { ImageRecord } from '../image-records.ts';
import { installImage } from '../install-image.ts';
import type { Lease } from '../lease.ts';
import type { Descriptor } from '../manifest/oci-types.ts';
import { parseConfig, parseManifestOrIndex } from '../manifest/parse-manifest.ts';
import { selectPlatform } from '../manifest/select-platform.ts';
import { formatReference, normalizeReference } from '../reference.ts';
import type { StoreParts } from '../store-parts.ts';
import type { ArchiveFiles } from './archive-files.ts';

const MAX_NESTED_INDEXES = 5;

export async function installOciLayout(
  parts: StoreParts,
  lease: Lease,
  files: ArchiveFiles,
  signal?: AbortSignal,
): Promise<ImageRecord[]> {
  const parsed = parseManifestOrIndex(files.document('index.json') ?? Buffer.alloc(0));
  if (!('index' in parsed)) throw new ImageError('INVALID_ARGUMENT', "the archive's index.json is not an index");
  const installed = new Map<string, ImageRecord>();
  for (const item of parsed.index.manifests) {
    const record = await installFrom(parts, lease, { files, item, signal });
    installed.set(record.id, record);
  }
  return [...installed.values()];
}

async function installFrom(
  parts: StoreParts,
  lease: Lease,
  { files, item, signal }: { files: ArchiveFiles; item: Descriptor; signal: AbortSignal | undefined },
): Promise<ImageRecord> {
  const documents: string[] = [];
  let documentBytes = 0;
  let descriptor = item;
  for (let depth = 0; depth < MAX_NESTED_INDEXES; depth++) {
    const bytes = await files.read(fileOf(files, descriptor));
    documents.push(descriptor.digest);
    documentBytes += bytes.length;
    const parsed = parseManifestOrIndex(bytes, descriptor.mediaType);
    if ('index' in parsed) {
      descriptor = selectPlatform(parsed.index.manifests, parts.platform);
      continue;
    }
    const { config, layers } = parsed.manifest;
    const configBytes = await files.read(fileOf(files, config));
    for (const layer of layers) fileOf(files, layer);
    const tag = tagOf(item);
    return installImage(
      parts,
      lease,
      {
        config: parseConfig(configBytes),
        configDigest: config.digest,
        manifestDigest: descriptor.digest,
        layers,
        documents: [...documents, config.digest],
        documentBytes: documentBytes + configBytes.length,
        names: tag === undefined ? {} : { tag },
      },
      signal,
    );
  }
  throw new ImageError('INVALID_ARGUMENT', `the archive nests indexes more than ${MAX_NESTED_INDEXES} deep`);
}

/** The file name of a descriptor; verifies the file's digest and size. */
function fileOf(files: ArchiveFiles, { digest, size }: Descriptor): string {
  const { algorithm, hex } = parseDigest(digest);
  if (algorithm !== 'sha256')
    throw new ImageError(
      'UNIMPLEMENTED',
      `the archive names a blob by ${algorithm}; only sha256 is supported in archives`,
    );
  const name = `blobs/${algorithm}/${hex}`;
  const found = files.require(name);
  if (found.digest !== digest || found.size !== size) {
    throw new ImageError(
      'DATA_LOSS',
      `content of ${digest} in the archive has the digest ${found.digest} and ${found.size} bytes, not ${size}`,
    );
  }
  return name;
}

/** containerd and Docker annotate the full name; the OCI annotation may have a full name or only a tag. */
function tagOf({ annotations = {} }: Descriptor): string | undefined {
  const name = annotations['io.containerd.image.name'] ?? annotations['org.opencontainers.image.ref.name'];
  if (name === undefined || !/[/:]/.test(name)) return undefined;
  const reference = normalizeReference(name);
  return reference.tag === undefined ? undefined : formatReference(reference);
}
