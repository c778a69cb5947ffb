/** Loads and pulls images on all nodes of a fleet. */
import fs from 'node:fs';
import { PassThrough, type Readable } from 'node:stream';
import { isBuildCache, type BuildOptions, type PullOptions } from '../../container-runtime/index.ts';
import type { RunningNode } from '../node/index.ts';

/** The nodes of this process that have images. */
export interface ImageNodes {
  readonly nodes: readonly Pick<RunningNode, 'name' | 'runtime'>[];
}

interface FleetImage {
  readonly id: string;
  readonly tags: readonly string[];
  readonly bytes: number;
}

export async function listImages(fleet: ImageNodes): Promise<FleetImage[]> {
  const found = new Map<string, FleetImage>();
  for (const { runtime } of fleet.nodes) {
    const { images = [] } = await runtime.images.listImages({});
    for (const { id = '', repoTags = [], size = 0 } of images) {
      const tags = repoTags.filter((tag) => !isBuildCache(tag));
      // Steps of builds are of interest to the next build only.
      if (tags.length > 0 || repoTags.length === 0) found.set(id, { id, tags, bytes: size });
    }
  }
  return [...found.values()];
}

/** How far a transfer is, on one node. */
interface TransferProgress {
  readonly node: string;
  readonly doneBytes: number;
  /** Grows while layers are found out; undefined where it is not known. */
  readonly totalBytes?: number;
}

export interface TransferOptions {
  /** A docker `config.json` with credentials. */
  readonly dockerConfig?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: TransferProgress) => void;
}

/** Loads an archive of `docker save` or an OCI layout; returns the images' names. */
export async function loadImage(
  fleet: ImageNodes,
  file: string,
  { signal, onProgress }: TransferOptions = {},
): Promise<string> {
  let names: readonly string[] = [];
  const { size: totalBytes } = await fs.promises.stat(file);
  for (const { name: node, runtime } of fleet.nodes) {
    let doneBytes = 0;
    const archive = fs.createReadStream(file);
    archive.on('data', (piece) => onProgress?.({ node, doneBytes: (doneBytes += piece.length), totalBytes }));
    archive.pause();
    const loaded = await runtime.imageStore.loadArchive(archive, signal ? { signal } : {});
    names = loaded.flatMap(({ id, tags }) => (tags.length > 0 ? tags : [id]));
  }
  return names.join(', ');
}

export async function pullImage(fleet: ImageNodes, reference: string, options: TransferOptions = {}): Promise<string> {
  let image = '';
  for (const { name, runtime } of fleet.nodes)
    ({ id: image } = await runtime.imageStore.pull(reference, registryOptions(name, options)));
  return image;
}

/** Pushes from the first node that has the image; returns the digest. */
export async function pushImage(fleet: ImageNodes, reference: string, options: TransferOptions = {}): Promise<string> {
  const node = fleet.nodes.find(({ runtime }) => runtime.imageStore.resolve(reference) !== undefined);
  if (!node) throw new Error(`no node has the image ${reference}; "k8ts image list" prints those that there are`);
  return node.runtime.imageStore.push(reference, registryOptions(node.name, options));
}

/** Adds up the progress of an image's blobs. */
function registryOptions(node: string, { onProgress, ...rest }: TransferOptions): PullOptions {
  const blobs = new Map<string, { readonly received: number; readonly size: number }>();
  return {
    ...rest,
    onProgress: ({ digest, received, size }) => {
      blobs.set(digest, { received, size });
      let [doneBytes, totalBytes] = [0, 0];
      for (const blob of blobs.values()) {
        doneBytes += blob.received;
        totalBytes += blob.size;
      }
      onProgress?.({ node, doneBytes, totalBytes });
    },
  };
}

/** Builds on one node, and copies the image to the others. */
export async function buildImage(fleet: ImageNodes, options: BuildOptions): Promise<string> {
  const [first, ...others] = fleet.nodes;
  if (!first) throw new Error('the cluster has no node that could build an image');
  const image = await first.runtime.buildImage(options);
  for (const { name, runtime } of others) {
    options.write(`copying the image to ${name}\n`);
    const archive = new PassThrough();
    await Promise.all([
      first.runtime.imageStore.saveArchive([image.id], archive),
      runtime.imageStore.loadArchive(archive),
    ]);
    await runtime.imageStore.tag(image.id, options.tag);
  }
  return image.id;
}

/** Loads an archive that comes in pieces; returns the images' names. */
export async function loadImageFrom(fleet: ImageNodes, archive: Readable): Promise<string> {
  const [first, ...others] = fleet.nodes;
  if (!first) throw new Error('the cluster has no node that could have the image');
  const loaded = await first.runtime.imageStore.loadArchive(archive);
  for (const { runtime } of others)
    for (const { id } of loaded) {
      const copy = new PassThrough();
      await Promise.all([first.runtime.imageStore.saveArchive([id], copy), runtime.imageStore.loadArchive(copy)]);
    }
  return loaded.flatMap(({ id, tags }) => (tags.length > 0 ? tags : [id])).join(', ');
}
