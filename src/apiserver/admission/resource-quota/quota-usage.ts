import type { ResourceQuota } from '../../../api/generated/core-v1.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Entry } from '../../storage/entry.ts';
import type { Quantities } from './resource-quantities.ts';

export type QuotaObject = ResourceQuota & KubeObject;

/** A ResourceQuota, and its usage while a batch of requests is charged to it. */
export interface QuotaUsage {
  readonly name: string;
  readonly entry: Entry;
  readonly quota: QuotaObject;
  readonly hard: Quantities;
  /** status.used as it was read. */
  readonly used: Quantities;
  /** status.used plus the requests of the batch that were admitted so far. */
  charged: Quantities;
}
