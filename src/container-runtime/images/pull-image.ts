import type { ImageStoreOptions, PullOptions } from './image-store.ts';
import { ImageError } from './image-error.ts';
import type { ImageRecord } from './image-records.ts';
import type { StoreParts } from './store-parts.ts';

export class ImagePuller {
  constructor(readonly parts: StoreParts, readonly options: ImageStoreOptions) {}

  async pull(reference: string, _options?: PullOptions): Promise<ImageRecord> {
    throw new ImageError('UNIMPLEMENTED', `${reference} cannot be pulled: this build has no registry client`);
  }

  async close(): Promise<void> {}
}
