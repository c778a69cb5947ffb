import type { KubeObject } from '../../machinery/index.ts';

/** An object with the type of its kind that is complete enough to be stored. */
export type Stored<T> = T & KubeObject;
