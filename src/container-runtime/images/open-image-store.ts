import type { Context } from '../../kernel/index.ts';
import type { ImageStore, ImageStoreOptions } from './image-store.ts';

/** Opens the store, after clearing away what a crash left behind. */
export async function openImageStore(_ctx: Context, options: ImageStoreOptions): Promise<ImageStore> {
  throw new Error(`the image store ${options.root} cannot be opened: this build has none`);
}
