import type { Client } from '../../client/index.ts';
import type { Store } from '../../etcd/index.ts';
/** A fault of a world: what it does when it strikes, and how it is taken back. */
import type { Clock, Random } from '../../kernel/index.ts';
import type { ApiServerProcess } from '../world/api-server-process.ts';
import type { Network } from '../world/network.ts';
import type { WorldNodes } from '../world/nodes.ts';
import type { WorldProcess } from '../world/processes.ts';
import type { WorldWebhook } from '../world/webhook.ts';

/** What faults may touch. */
export interface Stage {
  readonly clock: Clock;
  readonly random: Random;
  readonly network: Network;
  readonly store: Store;
  readonly servers: ReadonlyMap<string, ApiServerProcess>;
  readonly processes: ReadonlyMap<string, WorldProcess>;
  readonly nodes: WorldNodes;
  readonly webhook: WorldWebhook;
  /** Reaches a server past all faults: for faults that change objects. */
  readonly bystander: Client;
}

export interface FaultDefinition {
  /** How often it is drawn, compared with others. */
  readonly weight: number;
  /** What it may strike. */
  readonly targets: readonly string[];
  /** The result takes it back; undefined when there is nothing to take back, null when it had nothing to strike. */
  strike(
    stage: Stage,
    /** The strength is from 0 to 1. */
    strike: { readonly target: string; readonly strength: number },
  ): (() => void) | undefined | null;
}

export const SERVERS = ['kube-apiserver-0', 'kube-apiserver-1'] as const;
export const MANAGERS = ['kube-controller-manager-0', 'kube-controller-manager-1'] as const;
export const SCHEDULERS = ['kube-scheduler-0', 'kube-scheduler-1'] as const;
export const OPERATORS = ['operator-0', 'operator-1'] as const;
export const KUBELETS = 'kubelets';
export const KUBE_PROXY = 'kube-proxy';
export const CLIENT_PROCESSES = ['client-0', 'client-1', 'client-2'] as const;
export const COMPONENTS = [...MANAGERS, ...SCHEDULERS, ...OPERATORS, KUBE_PROXY, KUBELETS] as const;
