/**
 * Recovery after a restart of the runtime: compares the records of the earlier run with the host. Running containers
 * keep running; half-created ones are removed; interrupted removals are finished; leftovers without a record are
 * deleted.
 */
import fs from 'node:fs';
import path from 'node:path';
import { recordExitLocked } from './containers/record-exit.ts';
import { releaseContainer } from './containers/remove-container.ts';
import { mountsBelow, unmountAll } from './linux/mounts.ts';
import { identify, readPidFile } from './linux/processes.ts';
import { awaitsStart, deleteOciContainer, type OciRuntime } from './oci-runtime.ts';
import type { ContainerRecord } from './records/container-record.ts';
import type { SandboxRecord } from './records/sandbox-record.ts';
import { nowNanoseconds, type RuntimeParts } from './runtime-parts.ts';
import { sandboxExists, sandboxModes } from './sandboxes/sandbox-namespaces.ts';
import { releaseSandbox } from './sandboxes/stop-sandbox.ts';

export async function recover(parts: RuntimeParts): Promise<void> {
  const conmons = [...parts.containers].some((record) => record.phase === 'starting')
    ? runningConmons()
    : new Map<string, number>();
  for (const record of parts.containers)
    await attempt(parts, `container ${record.id}`, () => recoverContainer(parts, record, conmons.get(record.id)));
  for (const record of parts.sandboxes)
    await attempt(parts, `sandbox ${record.id}`, () => recoverSandbox(parts, record));
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

async function recoverSandbox(parts: RuntimeParts, record: SandboxRecord): Promise<void> {
  const { id, phase } = record;
  if (phase === 'creating' || phase === 'removing') {
    for (const container of parts.containers) {
      if (container.sandboxId !== id) continue;
      await releaseContainer(parts, container);
      parts.containers.remove(container.id);
    }
    await releaseSandbox(parts, record);
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
  conmon: number | undefined,
): Promise<void> {
  const runtime = parts.handlers.get(record.runtimeHandler);
  switch (record.phase) {
    case 'creating':
    case 'removing':
      await releaseContainer(parts, record);
      parts.containers.remove(record.id);
      break;
    case 'starting':
      if (runtime !== undefined) await recoverStart(parts, { record, runtime, conmon });
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
  /** The container's conmon, if it still runs. */
  readonly conmon: number | undefined;
}

const CONMON_TIMEOUT_MS = 10_000;
const CONMON_POLL_MS = 10;

/**
 * The runtime ended between starting conmon and recording it. If the container's process has not started yet, it is
 * deleted and the container goes back to `created`. Otherwise the container is running or has exited.
 */
async function recoverStart(parts: RuntimeParts, { record, runtime, conmon }: InterruptedStart): Promise<void> {
  const { id } = record;
  const paths = parts.paths.container(id);
  const until = parts.ctx.clock.monotonic() + CONMON_TIMEOUT_MS;
  while (
    conmon !== undefined &&
    identify(conmon) !== undefined &&
    readPidFile(paths.pid) === undefined &&
    parts.ctx.clock.monotonic() < until
  ) {
    await parts.ctx.clock.sleep(CONMON_POLL_MS);
  }
  const pid = readPidFile(paths.pid);
  const started =
    pid !== undefined &&
    fs.existsSync(path.join(runtime.root, id)) &&
    (!awaitsStart(runtime, id) || !runsOciInit(runtime, pid));
  if (!started) {
    await deleteOciContainer(runtime, id);
    await waitForConmonExit(parts, conmon);
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

/**
 * conmon exits when its container is deleted. One that does not is killed, or it would write to the next container's
 * files.
 */
async function waitForConmonExit(parts: RuntimeParts, pid: number | undefined): Promise<void> {
  if (pid === undefined) return;
  const until = parts.ctx.clock.monotonic() + CONMON_TIMEOUT_MS;
  while (identify(pid) !== undefined) {
    if (parts.ctx.clock.monotonic() > until) process.kill(pid, 'SIGKILL');
    await parts.ctx.clock.sleep(CONMON_POLL_MS);
  }
}

/** Every conmon on the machine by the id of its container. */
function runningConmons(): Map<string, number> {
  const found = new Map<string, number>();
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    let words: string[];
    try {
      words = fs.readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
    } catch {
      continue;
    }
    if (path.basename(words[0] ?? '') !== 'conmon') continue;
    const id = words[words.indexOf('--cid') + 1];
    if (id !== undefined) found.set(id, Number(name));
  }
  return found;
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
