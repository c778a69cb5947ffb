/**
 * KubeObject: any API object in memory. It has the JSON shape in canonical form (see decode/), and is frozen once
 * stored.
 */
import type { ObjectMeta } from '../api/generated/meta-v1.ts';

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}
