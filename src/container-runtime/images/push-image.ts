/** Pushes an image: uploads the blobs that the repository lacks, then the manifest by its tag. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Transform, type Readable } from 'node:stream';
import { ImageError, wrapError } from './image-error.ts';
import type { PushOptions } from './image-store.ts';
import { OCI_MANIFEST } from './manifest/media-types.ts';
import { formatReference, normalizeReference } from './reference.ts';
import { openRegistry } from './registry/open-registry.ts';
import { isTransient } from './registry/registry-errors.ts';
import type { RegistryOptions } from './registry/registry-options.ts';
import type { StoreParts } from './store-parts.ts';

const ATTEMPTS = 3;
const RETRY_DELAY_MS = 250;

/** Resolves to the digest of the manifest. */
export async function pushImage(
  parts: StoreParts,
  { reference: text, registries }: { readonly reference: string; readonly registries: RegistryOptions },
  { signal: given, onProgress, ...access }: PushOptions = {},
): Promise<string> {
  const reference = normalizeReference(text);
  const name = formatReference(reference);
  const record = parts.records.find(text);
  if (record === undefined) throw new ImageError('NOT_FOUND', `image ${JSON.stringify(text)}: not found`);
  if (reference.tag === undefined) throw new ImageError('INVALID_ARGUMENT', `${text} is not a name with a tag`);
  const { ctx, blobs } = parts;
  const signal = AbortSignal.any([ctx.signal, ...(given === undefined ? [] : [given])]);
  const lease = parts.leases.take();
  const digests = [...new Set([record.id, ...record.layerBlobs])];
  lease.hold(record.manifestDigest, ...digests);
  try {
    const client = await openRegistry(ctx, reference, { registries, access, signal, actions: 'pull,push' });
    for (const digest of digests) {
      const { size } = await stat(blobs.path(digest));
      const tell = (sent: number): void => onProgress?.({ digest, received: sent, size });
      for (let attempt = 1; !(await client.hasBlob({ digest })); attempt++) {
        try {
          await client.pushBlob({ digest, size }, counted(createReadStream(blobs.path(digest)), tell));
        } catch (error) {
          if (attempt === ATTEMPTS || !isTransient(error) || signal.aborted) throw error;
          await ctx.clock.sleep(RETRY_DELAY_MS * attempt, signal);
        }
      }
      tell(size);
    }
    const bytes = await blobs.read(record.manifestDigest);
    const { mediaType = OCI_MANIFEST } = JSON.parse(bytes.toString('utf8')) as { mediaType?: string };
    await client.pushManifest(reference.tag, { bytes, mediaType });
    return record.manifestDigest;
  } catch (error) {
    throw wrapError(`failed to push image ${JSON.stringify(name)}`, error);
  } finally {
    lease.release();
  }
}

/** Calls back with the number of bytes that have passed. */
function counted(source: Readable, tell: (bytes: number) => void): Readable {
  let bytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _, done) {
      tell((bytes += chunk.length));
      done(null, chunk);
    },
  });
  source.once('error', (error) => counter.destroy(error));
  return source.pipe(counter);
}
