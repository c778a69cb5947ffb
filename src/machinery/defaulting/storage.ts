import type { CSIDriverSpec } from '../../api/generated/storage-v1.ts';

export function defaultCsiDriverSpec(draft: CSIDriverSpec): void {
  draft.volumeLifecycleModes ??= ['Persistent'];
}
