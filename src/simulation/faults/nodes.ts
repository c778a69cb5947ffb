/** Faults of nodes. */
import type { FaultDefinition } from './fault.ts';

const NODES = ['sim-0', 'sim-1', 'sim-2', 'sim-3'];

export const nodeFaults = {
  /** A node says nothing for a while, and comes back as it was. */
  'node-silent': {
    weight: 3,
    targets: NODES,
    strike({ nodes }, { target }) {
      return nodes.silence(target) ? () => nodes.speak(target) : null;
    },
  },
  /** A machine goes down, and comes back with nothing that ran on it. */
  'node-returns-empty': {
    weight: 2,
    targets: NODES,
    strike({ nodes }, { target }) {
      return nodes.silence(target) ? () => nodes.restart(target) : null;
    },
  },
  /** A machine is taken away with its Node, and another of the same name comes with nothing on it. */
  'node-replaced': {
    weight: 2,
    targets: NODES,
    strike({ nodes }, { target }) {
      return nodes.remove(target) ? () => nodes.replace(target) : null;
    },
  },
  /** The process of all kubelets is started again, and takes over what runs. */
  'kubelets-restart': {
    weight: 2,
    targets: ['kubelets'],
    strike({ processes }, { target }) {
      const process = processes.get(target)!;
      if (!process.isRunning) return null;
      process.kill();
      return () => process.start();
    },
  },
} satisfies Record<string, FaultDefinition>;
