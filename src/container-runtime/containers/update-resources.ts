/** UpdateContainerResources: changes the limits of a created or running container. */
import fs from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../../base/index.ts';
import { CriError, type LinuxContainerResources } from '../../cri/index.ts';
import { updateOciContainer } from '../oci-runtime.ts';
import type { OciSpec } from '../oci-spec/oci-types.ts';
import { mergedResources, ociResources } from '../oci-spec/resources.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import { containerState, findContainer } from './container-status.ts';

export async function updateContainerResources(
  parts: RuntimeParts,
  idOrPrefix: string | undefined,
  change: LinuxContainerResources | undefined,
): Promise<void> {
  const { id } = findContainer(parts, idOrPrefix);
  await parts.locks.run(id, async () => {
    const record = findContainer(parts, id);
    if (record.phase !== 'running' && record.phase !== 'created')
      throw new CriError('UNKNOWN', `container ${JSON.stringify(id)} is in ${containerState(record)} state`);
    if (change === undefined) return;
    const resources = mergedResources(record.resources, change);
    const paths = parts.paths.container(id);
    const runtime = parts.handlers.get(record.runtimeHandler);
    if (record.phase === 'running' && runtime !== undefined && parts.host.limits) {
      try {
        await updateOciContainer(
          runtime,
          id,
          ociResources(resources, parts.host),
          path.join(paths.directory, 'resources.json'),
        );
      } catch (error) {
        throw new CriError('UNKNOWN', `failed to update resources: ${errorMessage(error)}`, { cause: error });
      }
    }
    const spec = JSON.parse(fs.readFileSync(paths.spec, 'utf8')) as OciSpec;
    const limits = parts.host.limits ? ociResources(resources, parts.host) : {};
    spec.linux.resources = { ...limits, devices: spec.linux.resources.devices ?? [] };
    fs.writeFileSync(paths.spec, JSON.stringify(spec), { mode: 0o600 });
    parts.containers.update(id, { resources });
  });
}
