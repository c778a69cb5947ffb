/** Faults of processes and of their clocks. */
import { formatMicroTime } from '../../base/index.ts';
import { COMPONENTS, KUBELETS, MANAGERS, OPERATORS, SCHEDULERS, SERVERS, type FaultDefinition } from './fault.ts';

const MAX_JUMP_MS = 3_600_000;
/** A component that is killed in the middle has sent and received up to so many messages more. */
const MAX_MESSAGES = 30;

/** Who has a lease that a fault has taken. */
export const STOLEN = 'somebody-else';

export const processFaults = {
  /** A component is killed while it waits, and comes back. */
  'kill-component': {
    weight: 3,
    targets: COMPONENTS.filter((name) => name !== KUBELETS),
    strike({ processes }, { target }) {
      const process = processes.get(target);
      if (!process?.isRunning) return null;
      process.kill();
      return () => process.start();
    },
  },
  /** A component is killed between two of its requests, or when a server has acted and it does not know yet. */
  'kill-in-the-middle': {
    weight: 3,
    targets: COMPONENTS.filter((name) => name !== KUBELETS),
    strike({ processes, network }, { target, strength }) {
      const process = processes.get(target);
      if (!process?.isRunning) return null;
      const spare = network.interrupt(target, Math.floor(strength * MAX_MESSAGES), () => process.kill());
      return () => {
        spare();
        process.start();
      };
    },
  },
  'kill-apiserver': {
    weight: 3,
    targets: SERVERS,
    strike({ servers }, { target }) {
      const server = servers.get(target)!;
      // The other one may be down: then the cluster has none for a while.
      if (!server.isServing) return null;
      server.kill();
      return () => server.start();
    },
  },
  /** A component is replaced by the release before it, and later by this one again, as in an upgrade. */
  'version-skew': {
    weight: 3,
    targets: [...SERVERS, ...MANAGERS, ...SCHEDULERS],
    strike({ processes, servers }, { target }) {
      const process = (servers.get(target) ?? processes.get(target))!;
      if (process.isOlder) return null;
      const restart = (isOlder: boolean) => (): void => {
        process.isOlder = isOlder;
        process.kill();
        process.start();
      };
      restart(true)();
      return restart(false);
    },
  },
  /** The wall clock of a process is set to another time. */
  'clock-jump': {
    weight: 2,
    targets: [...COMPONENTS, ...SERVERS],
    strike({ processes, servers }, { target, strength }) {
      const clock = (processes.get(target) ?? servers.get(target))!.clock;
      const jump = Math.round((strength - 0.5) * 2 * MAX_JUMP_MS);
      clock.jump(jump);
      return () => clock.jump(-jump);
    },
  },
  /** The clock of a process runs up to ten percent fast or slow. */
  'clock-drift': {
    weight: 2,
    targets: [...COMPONENTS, ...SERVERS],
    strike({ processes, servers }, { target, strength }) {
      const clock = (processes.get(target) ?? servers.get(target))!.clock;
      clock.drift(0.9 + strength * 0.2);
      return () => clock.drift(1);
    },
  },
  /** The lease of a leader is taken away while it works. */
  'lose-lease': {
    weight: 2,
    targets: [MANAGERS[0], SCHEDULERS[0], OPERATORS[0]],
    strike({ bystander, clock }, { target, strength }) {
      const name = target.replace(/-\d+$/, '');
      const leases = bystander.resource('coordination.k8s.io/v1/leases');
      const reference = { namespace: 'kube-system', name };
      const taken = async (): Promise<void> => {
        if (strength < 0.5) return void (await leases.delete(reference));
        const lease = await leases.get(reference);
        const now = formatMicroTime(clock.now());
        const spec = { ...lease.spec, holderIdentity: STOLEN, renewTime: now, acquireTime: now };
        await leases.update({ ...lease, spec });
      };
      taken().catch(() => undefined);
      return undefined;
    },
  },
} satisfies Record<string, FaultDefinition>;
