/** StopContainer: sends the stop signal and, after the timeout, SIGKILL to all processes of the container. */
import { withDeadline } from '../../kernel/index.ts';
import { signalProcess } from '../linux/processes.ts';
import { signalNumber } from '../oci-spec/signals.ts';
import type { ContainerRecord } from '../records/container-record.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import { recordExit } from './record-exit.ts';

/** Killed processes end at once unless they hang in the kernel, e.g. on a file system. */
const KILL_WAIT_MS = 60_000;
/** The longest time of a Node timer; CRI callers pass larger timeouts for "no limit". */
const MAX_WAIT_MS = 2 ** 31 - 1;

export async function stopContainer(
  parts: RuntimeParts,
  idOrPrefix: string,
  { timeoutSeconds, signal }: { timeoutSeconds: number; signal?: AbortSignal | undefined },
): Promise<void> {
  const id = parts.containers.find(idOrPrefix)?.id;
  if (id === undefined) return;
  // Waits for a start in progress, which holds the lock.
  const record = await parts.locks.run(id, async () => parts.containers.get(id));
  if (record?.phase !== 'running' || record.process === undefined) return;
  const { clock } = parts.ctx;

  if (timeoutSeconds > 0) {
    const { process } = record;
    const ms = Math.min(timeoutSeconds * 1000, MAX_WAIT_MS);
    const hasEnded = await withDeadline({ clock, ms, parent: signal }, (limit) => {
      const ended = parts.exits.wait(id, limit);
      signalProcess(process, signalNumber(record.stopSignal));
      return ended;
    });
    if (hasEnded) return;
    // A caller that no longer waits has not asked for SIGKILL.
    signal?.throwIfAborted();
  }
  await withDeadline({ clock, ms: KILL_WAIT_MS }, async (limit) => {
    const ended = parts.exits.wait(id, limit);
    killAllProcesses(parts, record);
    await recordExit(parts, id);
    if (parts.containers.get(id)?.phase !== 'running') return;
    if (!(await ended)) throw new Error(`container ${id} does not end after SIGKILL`);
  });
}

/** In its own PID namespace, killing the first process kills all; otherwise the cgroup lists them. */
function killAllProcesses(parts: RuntimeParts, record: ContainerRecord): void {
  if (record.process !== undefined) signalProcess(record.process, 'SIGKILL');
  if (record.config.linux?.securityContext?.namespaceOptions?.pid === 'CONTAINER') return;
  for (const pid of parts.cgroups.processes(record.cgroupPath)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself in the meantime.
    }
  }
}
