/** Saves images as an OCI layout with an additional manifest.json for `docker load`. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { parseDigest } from '../digest.ts';
import { ImageError } from '../image-error.ts';
import type { ImageRecord } from '../image-records.ts';
import { OCI_INDEX, OCI_MANIFEST } from '../manifest/media-types.ts';
import { formatReference, normalizeReference } from '../reference.ts';
import type { StoreParts } from '../store-parts.ts';
import { encodeTarEntry, TAR_END, tarPadding } from '../tar/tar-writer.ts';

interface ImageToSave {
  readonly image: ImageRecord;
  readonly tags: readonly string[];
}

export async function saveArchive(parts: StoreParts, references: readonly string[], archive: Writable): Promise<void> {
  const lease = parts.leases.take();
  try {
    const images = references.map((reference) => find(parts, reference));
    const blobs = new Set(images.flatMap(({ image }) => [image.manifestDigest, image.id, ...image.layerBlobs]));
    lease.hold(...blobs);
    for (const digest of blobs) await writeFileEntry(archive, pathOf(digest), parts.blobs.path(digest));
    await writeDocument(archive, 'oci-layout', { imageLayoutVersion: '1.0.0' });
    await writeDocument(archive, 'index.json', await indexOf(parts, images));
    await writeDocument(archive, 'manifest.json', images.map(dockerManifestOf));
    await write(archive, TAR_END);
    archive.end();
    await finished(archive);
  } finally {
    lease.release();
  }
}

/** An image saved by name keeps that name; one saved by id keeps all its names. */
function find(parts: StoreParts, reference: string): ImageToSave {
  const image = parts.records.find(reference);
  if (image === undefined) throw new ImageError('NOT_FOUND', `image ${JSON.stringify(reference)}: not found`);
  const name = image.id.includes(reference) ? undefined : formatReference(normalizeReference(reference));
  return { image, tags: name !== undefined && image.tags.includes(name) ? [name] : image.tags };
}

async function indexOf(parts: StoreParts, images: readonly ImageToSave[]): Promise<object> {
  const manifests = [];
  for (const { image, tags } of images) {
    const { size } = await stat(parts.blobs.path(image.manifestDigest));
    const bytes = await parts.blobs.read(image.manifestDigest);
    const { mediaType = OCI_MANIFEST } = JSON.parse(bytes.toString('utf8')) as { mediaType?: string };
    const descriptor = { mediaType, digest: image.manifestDigest, size };
    for (const tag of tags) {
      const annotations = {
        'io.containerd.image.name': tag,
        'org.opencontainers.image.ref.name': tag.slice(tag.lastIndexOf(':') + 1),
      };
      manifests.push({ ...descriptor, annotations });
    }
    if (tags.length === 0) manifests.push(descriptor);
  }
  return { schemaVersion: 2, mediaType: OCI_INDEX, manifests };
}

function dockerManifestOf({ image, tags }: ImageToSave): object {
  return { Config: pathOf(image.id), RepoTags: tags, Layers: image.layerBlobs.map(pathOf) };
}

function pathOf(digest: string): string {
  const { algorithm, hex } = parseDigest(digest);
  return `blobs/${algorithm}/${hex}`;
}

async function writeDocument(archive: Writable, name: string, document: unknown): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(document));
  await write(archive, Buffer.concat([encodeTarEntry({ name, size: bytes.length }), bytes, tarPadding(bytes.length)]));
}

async function writeFileEntry(archive: Writable, name: string, path: string): Promise<void> {
  const { size } = await stat(path);
  await write(archive, encodeTarEntry({ name, size }));
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>)
    await write(archive, chunk);
  await write(archive, tarPadding(size));
}

async function write(archive: Writable, bytes: Uint8Array): Promise<void> {
  if (archive.errored !== null && archive.errored !== undefined) throw archive.errored;
  if (bytes.length > 0 && !archive.write(bytes)) await once(archive, 'drain');
}
