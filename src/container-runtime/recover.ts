/**
 * Recovery after a restart of the runtime: compares the records of the earlier run with the host. Running containers
 * keep running; half-created ones are removed; interrupted removals are finished; leftovers without a record are
 * deleted.
 */
import fs from 'node:fs';
import path from 'node:path';
import { cgroupsPath } from './cgroup-path.ts';
import { recordExitLocked } from './containers/record-exit.ts';
import { releaseContainer } from './containers/remove-container.ts';
import { mountsBelow, unmountAll } from './linux/mounts.ts';
import { identify, readPidFile, signalProcess } from './linux/processes.ts';
import { awaitsStart, deleteOciContainer, type OciRuntime } from './oci-runtime.ts';
import type { ContainerRecord } from './records/container-record.ts';
import type { SandboxRecord } from './records/sandbox-record.ts';
import { nowNanoseconds, type RuntimeParts } from './runtime-parts.ts';
import { sandboxExists, sandboxModes } from './sandboxes/sandbox-namespaces.ts';
import { releaseSandbox } from './sandboxes/stop-sandbox.ts';

export async function recover(parts: RuntimeParts): Promise<void> {
  const isInterrupted =
    [...parts.containers].some(({ phase }) => phase === 'starting') ||
    [...parts.sandboxes].some(({ phase }) => phase === 'creating' || phase === 'removing');
  const programs = isInterrupted ? runningPrograms(parts) : [];
  for (const record of parts.containers)
    await attempt(parts, `container ${record.id}`, () => recoverContainer(parts, record, programs));
  for (const record of parts.sandboxes)
    await attempt(parts, `sandbox ${record.id}`, () => recoverSandbox(parts, record, programs));
  await attempt(parts, 'leftovers without a record', () => removeLeftovers(parts));
}

/** A failure does not stop the recovery of the others. The record stays, and removal tries again. */
async function attempt(parts: RuntimeParts, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    parts.ctx.logger.error(error, 'Failed to recover after a restart', { object: what });
  }
}

async function recoverSandbox(
  parts: RuntimeParts,
  record: SandboxRecord,
  programs: readonly RunningProgram[],
): Promise<void> {
  const { id, phase } = record;
  if (phase === 'creating' || phase === 'removing') {
    await endCreation(parts, id, programs);
    for (const container of parts.containers) {
      if (container.sandboxId !== id) continue;
      await releaseContainer(parts, container);
      parts.containers.remove(container.id);
    }
    await releaseSandbox(parts, record);
    await removeCgroup(parts, cgroupsPath(parts, record.config.linux?.cgroupParent, id).absolute);
    fs.rmSync(parts.paths.sandbox(id).directory, { recursive: true, force: true });
    parts.sandboxes.remove(id);
  } else if (
    phase === 'ready' &&
    !sandboxExists(parts.paths.sandbox(id), sandboxModes(record.config, parts.nodeNetns))
  ) {
    await releaseSandbox(parts, record);
    parts.sandboxes.update(id, { phase: 'stopped', infra: undefined });
  }
}

async function recoverContainer(
  parts: RuntimeParts,
  record: ContainerRecord,
  programs: readonly RunningProgram[],
): Promise<void> {
  const runtime = parts.handlers.get(record.runtimeHandler);
  switch (record.phase) {
    case 'creating':
    case 'removing':
      await releaseContainer(parts, record);
      parts.containers.remove(record.id);
      break;
    case 'starting':
      if (runtime !== undefined) await recoverStart(parts, { record, runtime, programs });
      break;
    case 'running':
      recordExitLocked(parts, record.id);
      break;
    case 'exited':
      // The exit was recorded, but the cgroup may not have been removed yet.
      if (runtime !== undefined) await deleteOciContainer(runtime, record.id);
      break;
    case 'created':
      break;
  }
}

interface InterruptedStart {
  readonly record: ContainerRecord;
  readonly runtime: OciRuntime;
  readonly programs: readonly RunningProgram[];
}

const PROGRAM_TIMEOUT_MS = 10_000;
const PROGRAM_POLL_MS = 10;

/**
 * The runtime ended between starting conmon and recording it. If the container's process has not started yet, it is
 * deleted and the container goes back to `created`. Otherwise the container is running or has exited.
 */
async function recoverStart(parts: RuntimeParts, { record, runtime, programs }: InterruptedStart): Promise<void> {
  const { id } = record;
  const conmon = programs.find((program) => program.id === id && program.kind === 'conmon')?.pid;
  const paths = parts.paths.container(id);
  const until = parts.ctx.clock.monotonic() + PROGRAM_TIMEOUT_MS;
  while (
    conmon !== undefined &&
    identify(conmon) !== undefined &&
    readPidFile(paths.pid) === undefined &&
    parts.ctx.clock.monotonic() < until
  ) {
    await parts.ctx.clock.sleep(PROGRAM_POLL_MS);
  }
  const pid = readPidFile(paths.pid);
  const started =
    pid !== undefined &&
    fs.existsSync(path.join(runtime.root, id)) &&
    (!awaitsStart(runtime, id) || !runsOciInit(runtime, pid));
  if (!started) {
    await endCreation(
      parts,
      id,
      programs.filter(({ kind }) => kind === 'create'),
    );
    await deleteOciContainer(runtime, id);
    // conmon exits when its container is deleted. One that does not would write to the next container's files.
    await endCreation(parts, id, programs);
    await removeCgroup(parts, record.cgroupPath);
    for (const file of [paths.pid, paths.conmonPid, paths.exit, paths.oom]) fs.rmSync(file, { force: true });
    parts.containers.update(id, { phase: 'created' });
    return;
  }
  const conmonPid = readPidFile(paths.conmonPid);
  const conmonProcess = conmonPid === undefined ? undefined : identify(conmonPid);
  parts.containers.update(id, {
    phase: 'running',
    startedAt: Math.max(record.createdAt, Math.min(fs.statSync(paths.pid).mtimeMs * 1e6, nowNanoseconds(parts.ctx))),
    process: identify(pid) ?? { pid, startTime: '' },
    ...(conmonProcess && { conmon: conmonProcess }),
  });
  recordExitLocked(parts, id);
}

/** Until a container starts, its process is the OCI runtime's init (`runc:[2:INIT]`). */
function runsOciInit(runtime: OciRuntime, pid: number): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith(path.basename(runtime.path));
  } catch {
    return true;
  }
}

/** A conmon, or a `create` of an OCI runtime, that an earlier run has started. */
interface RunningProgram {
  readonly kind: 'conmon' | 'create';
  /** The container or sandbox. */
  readonly id: string;
  readonly pid: number;
}

function runningPrograms(parts: RuntimeParts): RunningProgram[] {
  const found: RunningProgram[] = [];
  const roots = Array.from(parts.handlers.values(), ({ root }) => root);
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    let words: string[];
    try {
      words = fs.readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').slice(0, -1);
    } catch {
      continue;
    }
    const pid = Number(name);
    if (path.basename(words[0] ?? '') === 'conmon')
      found.push({ kind: 'conmon', id: words[words.indexOf('--cid') + 1] ?? '', pid });
    else if (words.includes('create') && roots.some((root) => words.includes(root)))
      found.push({ kind: 'create', id: words.at(-1) ?? '', pid });
  }
  return found;
}

/**
 * Waits for the programs that create a container, and kills those that take too long: what they make after their container was
 * deleted, such as its cgroup, nobody would delete.
 */
async function endCreation(parts: RuntimeParts, id: string, programs: readonly RunningProgram[]): Promise<void> {
  const { clock } = parts.ctx;
  for (const { pid } of programs.filter((program) => program.id === id)) {
    const until = clock.monotonic() + PROGRAM_TIMEOUT_MS;
    while (identify(pid) !== undefined) {
      if (clock.monotonic() > until) process.kill(pid, 'SIGKILL');
      await clock.sleep(PROGRAM_POLL_MS);
    }
  }
}

/** A `create` that was killed has no state that the OCI runtime could delete, but perhaps a cgroup with processes. */
async function removeCgroup(parts: RuntimeParts, cgroup: string): Promise<void> {
  const { clock } = parts.ctx;
  const until = clock.monotonic() + PROGRAM_TIMEOUT_MS;
  while (!(await parts.cgroups.remove(cgroup)) && clock.monotonic() < until) {
    for (const pid of parts.cgroups.processes(cgroup)) {
      const identity = identify(pid);
      if (identity !== undefined) signalProcess(identity, 'SIGKILL');
    }
    await clock.sleep(PROGRAM_POLL_MS);
  }
}

/** Deletes state directories, OCI containers, exit files, snapshots and network attachments without a record. */
async function removeLeftovers(parts: RuntimeParts): Promise<void> {
  for (const { directory, known } of [
    { directory: parts.paths.sandboxes, known: parts.sandboxes },
    { directory: parts.paths.containers, known: parts.containers },
  ]) {
    for (const id of fs.readdirSync(directory)) {
      if (known.get(id) !== undefined) continue;
      const leftover = path.join(directory, id);
      for (const point of mountsBelow(leftover)) unmountAll(point);
      fs.rmSync(leftover, { recursive: true, force: true });
    }
  }
  for (const runtime of parts.handlers.values()) {
    for (const id of fs.existsSync(runtime.root) ? fs.readdirSync(runtime.root) : []) {
      if (parts.containers.get(id) === undefined && parts.sandboxes.get(id) === undefined)
        await deleteOciContainer(runtime, id);
    }
  }
  for (const id of fs.readdirSync(parts.paths.exits))
    if (parts.containers.get(id) === undefined) fs.rmSync(path.join(parts.paths.exits, id), { force: true });
  for (const { key } of parts.images.snapshots.list())
    if (parts.containers.get(key) === undefined) await parts.images.snapshots.remove(key);
  const live = [...parts.sandboxes].filter((sandbox) => sandbox.phase === 'ready').map((sandbox) => sandbox.id);
  await parts.network?.reconcile(live);
}
