/** Deletes the OCI runtime's state and the cgroups of an exited container. */
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
  // CDI devices may have poststop hooks, which the OCI runtime has to run.
  if ((config.CDIDevices ?? []).length > 0) await deleteOciContainer(runtime, id);
  else await deleteEndedOciContainer(runtime, id, { cgroups: parts.cgroups, cgroup: cgroupPath });
}
