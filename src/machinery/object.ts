/** Any API object, as it is held in memory: the JSON shape, canonical (see decode/), frozen once it is stored. */
import type { ObjectMeta } from '../api/generated/meta-v1.ts';

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}
