import { deepEqual } from '../../../base/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';

/** Most kinds count the changes of their spec. */
export const specChanges = (object: KubeObject, old: KubeObject): boolean => !deepEqual(object['spec'], old['spec']);
