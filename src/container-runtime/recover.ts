/**
 * What a start finds: records of an earlier run, and of the machine what it has become since. Everything that runs
 * stays; what was half made is taken down; what was half removed is removed; what has no record is cleared away.
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
import { isStillThere, sandboxModes } from './sandboxes/sandbox-namespaces.ts';
import { releaseSandbox } from './sandboxes/stop-sandbox.ts';

export async function recover(parts: RuntimeParts): Promise<void> {
  const conmons = [...parts.containers].some((record) => record.phase === 'starting')
    ? runningConmons()
    : new Map<string, number>();
  for (const record of parts.containers)
    await attempt(parts, `container ${record.id}`, () => recoverContainer(parts, record, conmons.get(record.id)));
  for (const record of parts.sandboxes)
    await attempt(parts, `sandbox ${record.id}`, () => recoverSandbox(parts, record));
  await attempt(parts, 'what has no record', () => clearStrays(parts));
}

/** One that cannot be recovered keeps its record, and is tried again when it is removed; it must not stop all others. */
async function attempt(parts: RuntimeParts, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    parts.ctx.logger.error(error, 'Recovery after a restart failed', { of: what });
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
    !isStillThere(parts.paths.sandbox(id), sandboxModes(record.config, parts.nodeNetns))
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
      // The end was noted, but perhaps not yet followed by what frees its cgroup.
      if (runtime !== undefined) await deleteOciContainer(runtime, record.id);
      break;
    case 'created':
      break;
  }
}

interface HalfStarted {
  readonly record: ContainerRecord;
  readonly runtime: OciRuntime;
  /** The conmon that was started for it, if it still runs. */
  readonly conmon: number | undefined;
}

const CONMON_LIMIT_MS = 10_000;
const CONMON_POLL_MS = 10;

/**
 * We ended between starting conmon and noting it. A process that waits for its start goes, and the container can be
 * started again; one that was let go has run, so it is running or has ended.
 */
async function recoverStart(parts: RuntimeParts, { record, runtime, conmon }: HalfStarted): Promise<void> {
  const { id } = record;
  const paths = parts.paths.container(id);
  const until = parts.ctx.clock.monotonic() + CONMON_LIMIT_MS;
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
    await untilGone(parts, conmon);
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

/** A process that was let go runs the container's program; before that, the OCI runtime's own (`runc:[2:INIT]`). */
function runsOciInit(runtime: OciRuntime, pid: number): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith(path.basename(runtime.path));
  } catch {
    return true;
  }
}

/** conmon ends by itself when its container is deleted; one that does not would write to the files of the next. */
async function untilGone(parts: RuntimeParts, pid: number | undefined): Promise<void> {
  if (pid === undefined) return;
  const until = parts.ctx.clock.monotonic() + CONMON_LIMIT_MS;
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

/** Removes what no record speaks of: leftovers of records that were lost, and of runs on other machines' disks. */
async function clearStrays(parts: RuntimeParts): Promise<void> {
  for (const { directory, known } of [
    { directory: parts.paths.sandboxes, known: parts.sandboxes },
    { directory: parts.paths.containers, known: parts.containers },
  ]) {
    for (const id of fs.readdirSync(directory)) {
      if (known.get(id) !== undefined) continue;
      const stray = path.join(directory, id);
      for (const point of mountsBelow(stray)) unmountAll(point);
      fs.rmSync(stray, { recursive: true, force: true });
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
