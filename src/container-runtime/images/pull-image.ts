/**
 * Pulls an image: resolves its reference to a manifest for this platform, downloads missing blobs concurrently, and
 * unpacks layers while later ones are still being downloaded.
 */
import { RunGroup } from '../../kernel/index.ts';
import { ImageError, wrapError } from './image-error.ts';
import type { ImageRecord } from './image-records.ts';
import type { ImageStoreOptions, PullOptions } from './image-store.ts';
import { installImage } from './install-image.ts';
import type { Lease } from './lease.ts';
import type { Descriptor, ImageConfig, Manifest } from './manifest/oci-types.ts';
import { MAX_DOCUMENT_BYTES, parseConfig, parseManifestOrIndex } from './manifest/parse-manifest.ts';
import { checkPlatform, selectPlatform } from './manifest/select-platform.ts';
import { formatReference, normalizeReference, repositoryOf, type ImageReference } from './reference.ts';
import { BlobDownloads } from './registry/download-blobs.ts';
import { openRegistry } from './registry/open-registry.ts';
import type { FetchedManifest, RegistryClient } from './registry/registry-client.ts';
import type { StoreParts } from './store-parts.ts';

const MAX_NESTED_INDEXES = 5;
const PARALLEL_DOWNLOADS = 3;

interface ResolvedImage {
  /** The digest of the reference: of an index, or of the manifest itself. */
  readonly digest: string;
  readonly manifest: Manifest;
  readonly manifestDigest: string;
  readonly documents: readonly string[];
  readonly documentBytes: number;
}

export class ImagePuller {
  readonly #parts: StoreParts;
  readonly #options: ImageStoreOptions;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(parts: StoreParts, options: ImageStoreOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  async pull(text: string, options: PullOptions = {}): Promise<ImageRecord> {
    const reference = normalizeReference(text);
    const signals = [
      this.#closing.signal,
      this.#parts.ctx.signal,
      ...(options.signal === undefined ? [] : [options.signal]),
    ];
    const signal = AbortSignal.any(signals);
    const run = this.#pull(reference, options, signal);
    this.#running.add(run);
    try {
      return await run;
    } catch (error) {
      if (signal.aborted)
        throw new ImageError('CANCELLED', `the pull of ${formatReference(reference)} was cancelled`, { cause: error });
      throw wrapError(`failed to pull and unpack image ${JSON.stringify(formatReference(reference))}`, error);
    } finally {
      this.#running.delete(run);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
  }

  async #pull(reference: ImageReference, options: PullOptions, signal: AbortSignal): Promise<ImageRecord> {
    const lease = this.#parts.leases.take();
    const group = new RunGroup({ signal });
    try {
      const client = await openRegistry(this.#parts.ctx, reference, {
        registries: this.#options.registries ?? {},
        access: options,
        signal: group.signal,
      });
      const resolved = await this.#resolve(client, reference, lease);
      const downloads = new BlobDownloads({
        ...this.#parts,
        client,
        group,
        lease,
        parallel: this.#options.parallelDownloads ?? PARALLEL_DOWNLOADS,
        ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
      });
      const { config: configDescriptor, layers } = resolved.manifest;
      const config = await this.#config(downloads, configDescriptor);
      for (const layer of layers) downloads.start(layer);
      const name = formatReference(reference);
      const record = await installImage(
        this.#parts,
        lease,
        {
          ...resolved,
          config,
          configDigest: configDescriptor.digest,
          layers,
          documents: [...resolved.documents, configDescriptor.digest],
          documentBytes: resolved.documentBytes + configDescriptor.size,
          names: {
            ...(reference.tag === undefined ? {} : { tag: name }),
            digest: `${repositoryOf(reference)}@${resolved.digest}`,
          },
          ready: (layer) => downloads.done(layer.digest),
        },
        group.signal,
      );
      await group.wait();
      return record;
    } finally {
      // After an error, ends the other downloads and ignores their errors.
      await group.close().catch(() => {});
      lease.release();
    }
  }

  /** Resolves the reference to the manifest of this platform, through indexes. */
  async #resolve(client: RegistryClient, reference: ImageReference, lease: Lease): Promise<ResolvedImage> {
    const documents: string[] = [];
    let documentBytes = 0;
    try {
      const expected = reference.digest === undefined ? undefined : { digest: reference.digest, size: 0 };
      let fetched = await client.manifest(reference.digest ?? reference.tag ?? 'latest', expected);
      const { digest } = fetched;
      for (let depth = 0; depth < MAX_NESTED_INDEXES; depth++) {
        await this.#storeManifest(fetched, lease);
        documents.push(fetched.digest);
        documentBytes += fetched.bytes.length;
        const parsed = parseManifestOrIndex(fetched.bytes, fetched.mediaType);
        if ('manifest' in parsed)
          return { digest, manifest: parsed.manifest, manifestDigest: fetched.digest, documents, documentBytes };
        const chosen = selectPlatform(parsed.index.manifests, this.#parts.platform);
        fetched = await client.manifest(chosen.digest, chosen);
      }
    } catch (error) {
      throw wrapError(`failed to resolve reference ${JSON.stringify(formatReference(reference))}`, error);
    }
    throw new ImageError('FAILED_PRECONDITION', `the image nests indexes more than ${MAX_NESTED_INDEXES} deep`);
  }

  async #storeManifest({ bytes, digest }: FetchedManifest, lease: Lease): Promise<void> {
    lease.hold(digest);
    await this.#parts.blobs.fetch({ digest, size: bytes.length }, async () => ({ start: 0, content: once(bytes) }));
  }

  async #config(downloads: BlobDownloads, descriptor: Descriptor): Promise<ImageConfig> {
    if (descriptor.size > MAX_DOCUMENT_BYTES)
      throw new ImageError('FAILED_PRECONDITION', `the image's config has ${descriptor.size} bytes`);
    downloads.start(descriptor);
    await downloads.done(descriptor.digest);
    const config = parseConfig(await this.#parts.blobs.read(descriptor.digest));
    checkPlatform(config, this.#parts.platform);
    return config;
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
