import type { Context } from '../../kernel/index.ts';
import type { BlobStore } from './blob-store.ts';
import type { ImageRecords } from './image-records.ts';
import type { LayerStore } from './layers/layer-store.ts';
import type { Leases } from './lease.ts';
import type { Platform } from './manifest/oci-types.ts';

/** The parts of the image store that pulling, loading, saving and image GC use. */
export interface StoreParts {
  readonly ctx: Context;
  readonly platform: Platform;
  readonly blobs: BlobStore;
  readonly layers: LayerStore;
  readonly records: ImageRecords;
  readonly leases: Leases;
}
