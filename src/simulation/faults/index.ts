/** What may go wrong in a world. Each fault has a name, what it may strike, and how it is taken back. */
import type { FaultDefinition } from './fault.ts';
import { networkFaults } from './network.ts';
import { nodeFaults } from './nodes.ts';
import { processFaults } from './processes.ts';
import { storeFaults } from './store.ts';
import { webhookFaults } from './webhooks.ts';

export const faults = {
  ...processFaults,
  ...networkFaults,
  ...storeFaults,
  ...nodeFaults,
  ...webhookFaults,
} satisfies Record<string, FaultDefinition>;

export type FaultName = keyof typeof faults;
export type { Stage } from './fault.ts';
