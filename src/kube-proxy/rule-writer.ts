/** The interface of the writers of proxy rules, nftables and iptables. */
import type { ServicePlan } from '../component-helpers/index.ts';

/** Plans by the Service's key, `namespace/name`. An empty list means that the Service is deleted. */
export type Plans = ReadonlyMap<string, readonly ServicePlan[]>;

/** Writes plans into the kernel as proxy rules. Each call is one transaction. */
export interface RuleWriter {
  /** The cluster's ServiceCIDRs, where the mode uses them. They take effect with the next `replaceAll`. */
  setServiceCidrs?(cidrs: readonly string[]): void;
  /** Replaces all of kube-proxy's rules, including those of an earlier process. */
  replaceAll(plans: Plans): Promise<void>;
  /** Changes only the Services in `changed`; `all` is the state after the change. */
  update(changed: Plans, all: Plans): Promise<void>;
  /** Removes all of kube-proxy's rules. */
  removeAll(): Promise<void>;
  /** Closes open sockets. The rules stay. */
  close(): void;
}
