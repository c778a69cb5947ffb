/**
 * Loads an image archive: `docker save` (manifest.json) or an OCI layout (index.json). The index can be anywhere in
 * the archive, so every file is stored as a blob when it is read; image GC removes those that belong to no image.
 */
import { posix } from 'node:path';
import { decompressed } from '../compression/decompress.ts';
import { ImageError, wrapError } from '../image-error.ts';
import type { ImageRecord } from '../image-records.ts';
import { MAX_DOCUMENT_BYTES } from '../manifest/parse-manifest.ts';
import type { StoreParts } from '../store-parts.ts';
import { readTar } from '../tar/tar-reader.ts';
import { ArchiveFiles } from './archive-files.ts';
import { installDockerArchive } from './docker-archive.ts';
import { installOciLayout } from './oci-layout.ts';

const INDEX_FILES = new Set(['manifest.json', 'index.json', 'oci-layout', 'repositories']);
const MAX_FILES = 100_000;

export async function loadArchive(
  parts: StoreParts,
  archive: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<ImageRecord[]> {
  const lease = parts.leases.take();
  try {
    const files = new ArchiveFiles(parts.blobs);
    for await (const { entry, content } of readTar(decompressed(archive))) {
      signal?.throwIfAborted();
      const name = posix.normalize(entry.name).replace(/^\/+/, '');
      if (entry.type === 'symlink' || entry.type === 'link') {
        const target = entry.type === 'link' ? entry.target : posix.join(posix.dirname(name), entry.target);
        files.alias(name, posix.normalize(target));
      } else if (entry.type === 'file') {
        if (files.size >= MAX_FILES)
          throw new ImageError('INVALID_ARGUMENT', `the archive has more than ${MAX_FILES} files`);
        if (INDEX_FILES.has(name)) files.addDocument(name, await readDocument(name, entry.size, content));
        else files.add(name, await parts.blobs.add(content, (digest) => lease.hold(digest)));
      }
    }
    // Current Docker versions write both; the OCI index refers to the original, compressed layers.
    if (files.document('index.json') !== undefined) return await installOciLayout(parts, lease, files, signal);
    if (files.document('manifest.json') !== undefined) return await installDockerArchive(parts, lease, files, signal);
    throw new ImageError(
      'INVALID_ARGUMENT',
      'the archive has neither an index.json nor a manifest.json: it holds no image',
    );
  } catch (error) {
    if (signal?.aborted) throw error;
    throw wrapError('failed to load the archive', error);
  } finally {
    lease.release();
  }
}

async function readDocument(name: string, size: number, content: AsyncIterable<Buffer>): Promise<Buffer> {
  if (size > MAX_DOCUMENT_BYTES) throw new ImageError('INVALID_ARGUMENT', `the archive's ${name} has ${size} bytes`);
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
