/** The metadata that a write to a subresource may change. */
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import { cloneJson } from '../../base/index.ts';

export type ChangeableMetadata =
  | 'all'
  | 'none'
  | readonly ('labels' | 'annotations' | 'finalizers' | 'ownerReferences')[];

export function keepStatusMetadata(meta: ObjectMeta, old: ObjectMeta, changeable: ChangeableMetadata): void {
  if (changeable === 'all') return;
  for (const name of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    if (changeable !== 'none' && changeable.includes(name)) continue;
    if (old[name] === undefined) delete meta[name];
    else Object.assign(meta, { [name]: cloneJson(old[name]) });
  }
}
