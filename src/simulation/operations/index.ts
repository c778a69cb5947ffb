/** What clients of a world do. */
import { clusterObjects } from './cluster-objects.ts';
import { customResources } from './custom-resources.ts';
import { customDefinitions } from './definitions.ts';
import type { Operation } from './operation.ts';
import { webhooks } from './webhooks.ts';
import { workloads } from './workloads.ts';

export const operations = {
  ...workloads,
  ...clusterObjects,
  ...customResources,
  ...customDefinitions,
  ...webhooks,
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
export { operation, type Operation } from './operation.ts';
