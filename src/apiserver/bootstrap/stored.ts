import type { KubeObject } from '../../machinery/index.ts';

/** A typed object with apiVersion, kind and metadata. */
export type Stored<T> = T & KubeObject;
