/** Faults of the store, as one API server meets them. */
import type { StoreConditions, StoreCrash, TxnFault } from '../world/store-view.ts';
import { SERVERS, type FaultDefinition, type Stage } from './fault.ts';

function conditions({ random }: Stage, fault: TxnFault | undefined, share: number, delayMs = 0): StoreConditions {
  return {
    delayMs: () => (delayMs > 0 ? random.integer(delayMs) : 0),
    txnFault: () => (fault !== undefined && random.next() < share ? fault : undefined),
  };
}

const withConditions =
  (of: (stage: Stage, strength: number) => StoreConditions): FaultDefinition['strike'] =>
  (stage, { target, strength }) => {
    const server = stage.servers.get(target)!;
    server.setConditions(of(stage, strength));
    return () => server.setConditions(undefined);
  };

export const storeFaults = {
  /** Transactions are refused before they are committed. */
  'store-refuses': {
    weight: 2,
    targets: SERVERS,
    strike: withConditions((stage, strength) => conditions(stage, 'refused', 0.1 + strength * 0.9)),
  },
  /** Transactions are committed, and the answer is lost. */
  'store-unknown': {
    weight: 3,
    targets: SERVERS,
    strike: withConditions((stage, strength) => conditions(stage, 'unknown', 0.05 + strength * 0.4)),
  },
  'store-full': {
    weight: 1,
    targets: SERVERS,
    strike: withConditions((stage) => conditions(stage, 'full', 1)),
  },
  'store-slow': {
    weight: 2,
    targets: SERVERS,
    strike: withConditions((stage, strength) => conditions(stage, undefined, 0, 5 + strength * 2_000)),
  },
  /** The connection between an API server and the store is lost: its watches end. */
  'store-disconnects': {
    weight: 2,
    targets: SERVERS,
    strike({ servers }, { target }) {
      return servers.get(target)!.view?.breakWatches() ? undefined : null;
    },
  },
  /** The store goes down before, during or after its next commit, for all servers, and comes back as it was on its disk. */
  'store-crashes': {
    weight: 3,
    targets: ['before', 'during', 'after'],
    strike({ servers, random }, { target }) {
      const crash: StoreCrash = {
        commits: target === 'after' || (target === 'during' && random.next() < 0.5),
        down: false,
        onCrash: () => [...servers.values()].forEach((server) => server.view?.breakWatches()),
      };
      for (const server of servers.values()) server.setCrash(crash);
      return () => {
        for (const server of servers.values()) server.setCrash(undefined);
      };
    },
  },
  /** History is compacted up to now: watches that are behind get 410. */
  'store-compacts': {
    weight: 2,
    targets: ['etcd'],
    strike({ store }) {
      const compacted = async (): Promise<void> => {
        const { revision } = await store.status();
        await store.compact(revision);
      };
      compacted().catch(() => undefined);
      return undefined;
    },
  },
} satisfies Record<string, FaultDefinition>;
