/** Records the exit of a container: exit code and reason, the event for subscribers, and the removal of its cgroup. */
import fs from 'node:fs';
import { isAlive } from '../linux/processes.ts';
import type { ContainerRecord } from '../records/container-record.ts';
import { nowNanoseconds, type RuntimeParts } from '../runtime-parts.ts';
import { publishEvent } from '../sandboxes/sandbox-status.ts';
import { readOomKills } from '../stats/cgroup-usage.ts';
import { releaseOciState } from './release-oci-state.ts';

/** The exit code of containers whose real one is unknown, as in other runtimes. */
const UNKNOWN_EXIT_CODE = 255;

/** The exit code of a process that SIGKILL has ended. */
const SIGKILL_EXIT_CODE = 137;

/** Records the container's exit if it has exited. */
export function recordExit(parts: RuntimeParts, id: string): Promise<void> {
  return parts.locks.run(id, async () => recordExitLocked(parts, id));
}

/** Like `recordExit`, for a caller that holds the container's lock. */
export function recordExitLocked(parts: RuntimeParts, id: string): void {
  const record = parts.containers.get(id);
  if (record?.phase !== 'running') return;
  const ending = findExit(parts, record);
  if (ending === undefined) return;
  parts.containers.update(id, { phase: 'exited', ...ending });
  parts.exits.ended(id);
  publishEvent(parts, { containerId: id, sandboxId: record.sandboxId, type: 'CONTAINER_STOPPED_EVENT' });
  parts.background(`free the cgroup of container ${id}`, () => releaseOciState(parts, record));
}

type Exit = Pick<ContainerRecord, 'exitCode' | 'finishedAt' | 'reason' | 'message'>;

function findExit(parts: RuntimeParts, { id, process, conmon, cgroupPath }: ContainerRecord): Exit | undefined {
  const paths = parts.paths.container(id);
  const exit = readExit(paths.exit);
  if (exit !== undefined) return { ...exit, reason: reasonOf(parts, exit.exitCode, cgroupPath, paths.oom) };
  // conmon writes the exit code shortly after the process has ended. If conmon is gone too, the code is lost.
  if (process !== undefined && isAlive(process)) return undefined;
  if (conmon !== undefined && isAlive(conmon)) return undefined;
  const late = readExit(paths.exit);
  if (late !== undefined) return { ...late, reason: reasonOf(parts, late.exitCode, cgroupPath, paths.oom) };
  return {
    exitCode: UNKNOWN_EXIT_CODE,
    finishedAt: nowNanoseconds(parts.ctx),
    reason: 'Unknown',
    message: 'conmon ended before the container did: its exit code is not known',
  };
}

function reasonOf({ cgroups }: RuntimeParts, exitCode: number, cgroupPath: string, oomFile: string): string {
  if (exitCode === 0 && !fs.existsSync(oomFile)) return 'Completed';
  // conmon may write the exit file before it hears of the OOM kill; the cgroup has counted it by then.
  const oomKilled = fs.existsSync(oomFile) || (exitCode === SIGKILL_EXIT_CODE && readOomKills(cgroups, cgroupPath) > 0);
  return oomKilled ? 'OOMKilled' : 'Error';
}

function readExit(file: string): { exitCode: number; finishedAt: number } | undefined {
  try {
    const text = fs.readFileSync(file, 'utf8');
    return { exitCode: Number.parseInt(text, 10), finishedAt: Number(fs.statSync(file, { bigint: true }).mtimeNs) };
  } catch {
    return undefined;
  }
}
