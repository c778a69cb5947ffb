/** What the OCI runtime keeps of a container goes as soon as the container has ended: its cgroups are free for others. */
import fs from 'node:fs';
import path from 'node:path';
import { deleteEndedOciContainer, deleteOciContainer } from '../oci-runtime.ts';
import type { ContainerRecord } from '../records/container-record.ts';
import type { RuntimeParts } from '../runtime-parts.ts';

export async function releaseOciState(
  parts: RuntimeParts,
  { id, runtimeHandler, config, cgroupPath }: ContainerRecord,
): Promise<void> {
  const runtime = parts.handlers.get(runtimeHandler);
  if (runtime === undefined || !fs.existsSync(path.join(runtime.root, id))) return;
  // Devices bring hooks with them, which the OCI runtime runs.
  if ((config.CDIDevices ?? []).length > 0) await deleteOciContainer(runtime, id);
  else await deleteEndedOciContainer(runtime, id, { cgroups: parts.cgroups, cgroup: cgroupPath });
}
