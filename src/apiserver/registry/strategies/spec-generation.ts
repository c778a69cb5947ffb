import type { KubeObject } from '../../../machinery/object.ts';
import { deepEqual } from '../../../base/index.ts';

/** Most kinds count the changes of their spec. */
export const specChanges = (object: KubeObject, old: KubeObject): boolean => !deepEqual(object['spec'], old['spec']);
