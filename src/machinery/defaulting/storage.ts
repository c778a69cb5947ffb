/** Defaults of CSIDrivers. */
import type { CSIDriverSpec } from '../../api/generated/storage-v1.ts';

export const defaultCsiDriverSpec = ({ volumeLifecycleModes }: CSIDriverSpec): CSIDriverSpec =>
  volumeLifecycleModes ? {} : { volumeLifecycleModes: ['Persistent'] };
