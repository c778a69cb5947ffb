/** RemoveContainer: stops the container if it runs and deletes everything of it. */
import fs from 'node:fs';
import path from 'node:path';
import { mountsBelow, unmountAll } from '../linux/mounts.ts';
import type { ContainerRecord } from '../records/container-record.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import { publishEvent } from '../sandboxes/sandbox-status.ts';
import { releaseOciState } from './release-oci-state.ts';
import { stopContainer } from './stop-container.ts';

export async function removeContainer(parts: RuntimeParts, idOrPrefix: string): Promise<void> {
  const id = parts.containers.find(idOrPrefix)?.id;
  if (id === undefined) return;
  await stopContainer(parts, id, { timeoutSeconds: 0 });
  await parts.locks.run(id, async () => {
    const record = parts.containers.get(id);
    if (record === undefined) return;
    parts.containers.update(id, { phase: 'removing' });
    await releaseContainer(parts, record);
    publishEvent(parts, { containerId: id, sandboxId: record.sandboxId, type: 'CONTAINER_DELETED_EVENT' });
    parts.containers.remove(id);
  });
}

/** Deletes a container's OCI state, mounts, snapshot and files. Missing ones are skipped. */
export async function releaseContainer(parts: RuntimeParts, record: ContainerRecord): Promise<void> {
  const { id } = record;
  const paths = parts.paths.container(id);
  await releaseOciState(parts, record);
  if (fs.existsSync(paths.images))
    for (const target of mountsBelow(paths.images)) await parts.images.unmountImage(target);
  if (fs.existsSync(paths.mounts)) for (const target of mountsBelow(paths.mounts)) unmountAll(target);
  const remove = (file: string): Promise<void> => fs.promises.rm(file, { recursive: true, force: true });
  await Promise.all([
    parts.images.snapshots.remove(id),
    remove(paths.directory),
    remove(paths.exit),
    remove(path.join(parts.rootDirectory, 'volumes', id)),
  ]);
}
