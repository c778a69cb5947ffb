/** What clients of a world do. */
import { clusterObjects } from './cluster-objects.ts';
import { customResources } from './custom-resources.ts';
import type { Operation } from './operation.ts';
import { workloads } from './workloads.ts';

export const operations = { ...workloads, ...clusterObjects, ...customResources } satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
