/** Loads and pulls images on all nodes of a fleet. */
import fs from 'node:fs';
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
    for (const { id = '', repoTags = [], size = 0 } of images) found.set(id, { id, tags: repoTags, bytes: size });
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
