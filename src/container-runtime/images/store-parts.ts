import type { Context } from '../../kernel/index.ts';
import type { BlobStore } from './blob-store.ts';
import type { ImageRecords } from './image-records.ts';
import type { LayerStore } from './layers/layer-store.ts';
import type { Leases } from './lease.ts';
import type { Platform } from './manifest/oci-types.ts';

/** What an image store is made of; what pulling, loading and saving work on. */
export interface StoreParts {
  readonly ctx: Context;
  readonly platform: Platform;
  readonly blobs: BlobStore;
  readonly layers: LayerStore;
  readonly records: ImageRecords;
  readonly leases: Leases;
}
