/** Loads and pulls images on all nodes of a fleet. */
import fs from 'node:fs';
import { PassThrough, type Readable } from 'node:stream';
import { isBuildCache, type BuildOptions } from '../../container-runtime/index.ts';
import type { NodeFleet } from './node-fleet.ts';

interface FleetImage {
  readonly id: string;
  readonly tags: readonly string[];
  readonly bytes: number;
}

export async function listImages(fleet: NodeFleet): Promise<FleetImage[]> {
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

/** Loads an archive of `docker save` or an OCI layout; returns the images' names. */
export async function loadImage(fleet: NodeFleet, file: string): Promise<string> {
  let names: readonly string[] = [];
  for (const { runtime } of fleet.nodes) {
    const loaded = await runtime.imageStore.loadArchive(fs.createReadStream(file));
    names = loaded.flatMap(({ id, tags }) => (tags.length > 0 ? tags : [id]));
  }
  return names.join(', ');
}

export async function pullImage(fleet: NodeFleet, reference: string): Promise<string> {
  let image = '';
  for (const { runtime } of fleet.nodes)
    ({ imageRef: image = '' } = await runtime.images.pullImage({ image: { image: reference } }));
  return image;
}

/** Builds on one node, and copies the image to the others. */
export async function buildImage(fleet: NodeFleet, options: BuildOptions): Promise<string> {
  const [first, ...others] = fleet.nodes;
  if (!first) throw new Error('the cluster has no node that could build an image');
  const image = await first.runtime.buildImage(options);
  for (const { runtime } of others) {
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
export async function loadImageFrom(fleet: NodeFleet, archive: Readable): Promise<string> {
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
