import type { KubeObject } from '../../../machinery/object.ts';
import { deepEqual } from '../../../machinery/patch/deep-equal.ts';

/** Most kinds count the changes of their spec. */
export const specChanges = (object: KubeObject, old: KubeObject): boolean => !deepEqual(object['spec'], old['spec']);

/** Kinds without a spec count every change besides that of their metadata. */
export function contentChanges(object: KubeObject, old: KubeObject): boolean {
  const { metadata: _, ...content } = object;
  const { metadata: __, ...oldContent } = old;
  return !deepEqual(content, oldContent);
}
