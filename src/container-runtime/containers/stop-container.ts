/** StopContainer: its stop signal, then, when the time is up, SIGKILL for everything in it. */
import { signalProcess } from '../linux/processes.ts';
import { signalNumber } from '../oci-spec/signals.ts';
import type { ContainerRecord } from '../records/container-record.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import { recordExit } from './record-exit.ts';

/** Killed processes end at once unless the kernel holds them (a hung file system). */
const KILL_WAIT_MS = 60_000;
/** Longest wait that a timer takes; CRI's largest timeouts mean "for ever". */
const MAX_WAIT_MS = 2 ** 31 - 1;

export async function stopContainer(
  parts: RuntimeParts,
  idOrPrefix: string,
  { timeoutSeconds }: { timeoutSeconds: number },
): Promise<void> {
  const id = parts.containers.find(idOrPrefix)?.id;
  if (id === undefined) return;
  // A start that is under way is waited for: after it there is a process to stop.
  const record = await parts.locks.run(id, async () => parts.containers.get(id));
  if (record?.phase !== 'running' || record.process === undefined) return;
  const { clock } = parts.ctx;

  if (timeoutSeconds > 0) {
    const limit = clock.deadline(Math.min(timeoutSeconds * 1000, MAX_WAIT_MS));
    const ended = parts.exits.wait(id, limit);
    signalProcess(record.process, signalNumber(record.stopSignal));
    if (await ended) return;
  }
  const limit = clock.deadline(KILL_WAIT_MS);
  const ended = parts.exits.wait(id, limit);
  killEverything(parts, record);
  await recordExit(parts, id);
  if (parts.containers.get(id)?.phase !== 'running') return;
  if (!(await ended)) throw new Error(`container ${id} does not end after SIGKILL`);
}

/** With a PID namespace of its own the first process takes the others along; otherwise the cgroup knows them. */
function killEverything(parts: RuntimeParts, record: ContainerRecord): void {
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
