import { deepEqual } from '../../../base/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';

/** The generation of most kinds grows with every change of the spec. */
export const specChanges = (object: KubeObject, old: KubeObject): boolean => !deepEqual(object['spec'], old['spec']);
