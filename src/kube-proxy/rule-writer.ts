import type { ServicePlan } from './service-plan.ts';

/** A Service's plans by its key, `namespace/name`; empty for one that is gone. */
export type Plans = ReadonlyMap<string, readonly ServicePlan[]>;

/** Puts plans into the kernel. Each call is one transaction: all of it happens, or nothing. */
export interface RuleWriter {
  /** Replaces everything of ours that is there, left behind by whomever. */
  replaceAll(plans: Plans): Promise<void>;
  /** Changes the named Services only; `all` is the state with the change. */
  update(changed: Plans, all: Plans): Promise<void>;
  /** Removes every rule of ours. */
  removeAll(): Promise<void>;
  /** Gives back what it holds open; the rules stay. */
  close(): void;
}
