/** StartContainer: creates the container's process through conmon and starts it. */
import fs from 'node:fs';
import { errorMessage } from '../../base/index.ts';
import { CriError } from '../../cri/index.ts';
import { identify, readPidFile } from '../linux/processes.ts';
import { deleteOciContainer, startOciContainer, type OciRuntime } from '../oci-runtime.ts';
import type { OciSpec } from '../oci-spec/oci-types.ts';
import type { ContainerRecord } from '../records/container-record.ts';
import { nowNanoseconds, type RuntimeParts } from '../runtime-parts.ts';
import { findSandbox, publishEvent, sandboxState } from '../sandboxes/sandbox-status.ts';
import { createWithConmon } from './conmon.ts';
import { containerState, findContainer } from './container-status.ts';
import { recordExitLocked } from './record-exit.ts';

/** The exit code of a container whose process could not be started, as in other runtimes. */
const START_ERROR_CODE = 128;

export async function startContainer(parts: RuntimeParts, idOrPrefix: string | undefined): Promise<void> {
  const { id } = findContainer(parts, idOrPrefix);
  await parts.locks.run(id, async () => {
    const record = findContainer(parts, id);
    if (record.phase !== 'created')
      throw new CriError('UNKNOWN', `container ${JSON.stringify(id)} is in ${containerState(record)} state`);
    const sandbox = findSandbox(parts, record.sandboxId);
    if (sandboxState(sandbox) !== 'SANDBOX_READY')
      throw new CriError('UNKNOWN', `sandbox container ${JSON.stringify(sandbox.id)} is not running`);
    const runtime = parts.handlers.get(record.runtimeHandler);
    if (runtime === undefined)
      throw new CriError('UNKNOWN', `no runtime for ${JSON.stringify(record.runtimeHandler)} is configured`);
    parts.containers.update(id, { phase: 'starting' });
    try {
      await start(parts, record, runtime);
    } catch (error) {
      await deleteOciContainer(runtime, id);
      const message = `failed to create task for container: OCI runtime create failed: ${errorMessage(error)}`;
      const now = nowNanoseconds(parts.ctx);
      parts.containers.update(id, {
        phase: 'exited',
        startedAt: now,
        finishedAt: now,
        exitCode: START_ERROR_CODE,
        reason: 'StartError',
        message,
      });
      publishEvent(parts, { containerId: id, sandboxId: record.sandboxId, type: 'CONTAINER_STOPPED_EVENT' });
      throw new CriError('UNKNOWN', message, { cause: error });
    }
    publishEvent(parts, { containerId: id, sandboxId: record.sandboxId, type: 'CONTAINER_STARTED_EVENT' });
    // A short-lived container may have exited before its record said `running`.
    recordExitLocked(parts, id);
  });
}

async function start(parts: RuntimeParts, record: ContainerRecord, runtime: OciRuntime): Promise<void> {
  const { id, config, logPath } = record;
  const paths = parts.paths.container(id);
  const spec = JSON.parse(fs.readFileSync(paths.spec, 'utf8')) as OciSpec;
  const pid = await createWithConmon({
    ...{ conmon: parts.conmon, runtime, id, paths, logPath, exitDirectory: parts.paths.exits },
    name: config.metadata?.name ?? id,
    terminal: config.tty ?? false,
    stdin: config.stdin ?? false,
    leaveStdinOpen: (config.stdin ?? false) && !(config.stdinOnce ?? false),
  });
  const process = identify(pid);
  const conmonPid = readPidFile(paths.conmonPid);
  const conmon = conmonPid === undefined ? undefined : identify(conmonPid);
  await startOciContainer(parts.ctx, runtime, id, { hasHooks: spec.hooks !== undefined });
  parts.containers.update(id, {
    phase: 'running',
    startedAt: nowNanoseconds(parts.ctx),
    process: process ?? { pid, startTime: '' },
    ...(conmon && { conmon }),
  });
}
