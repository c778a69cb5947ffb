/** The CRI ImageService over the image store. */
import { CriError, type Image, type ImageFsInfoResponse, type ImageService, type ImageSpec } from '../../cri/index.ts';
import { ImageError } from './image-error.ts';
import type { DiskUsage, ImageStore, StoredImage } from './image-store.ts';

interface ImageServiceParts {
  readonly store: Pick<ImageStore, 'list' | 'resolve' | 'pull' | 'remove'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The store's directory, reported as the image and container file system. */
  readonly root: string;
  readonly imageUsage: () => Promise<DiskUsage>;
  readonly containerUsage: () => Promise<DiskUsage>;
}

export function createImageService({ store, now, root, imageUsage, containerUsage }: ImageServiceParts): ImageService {
  const imagesFor = (filter: string | undefined): Image[] => {
    if (filter === undefined || filter === '') return store.list().map(describeImage);
    const found = store.resolve(filter);
    return found === undefined ? [] : [describeImage(found)];
  };
  return {
    listImages: async ({ filter }) => criErrors(async () => ({ images: imagesFor(filter?.image?.image) })),

    async *streamImages({ filter }) {
      // One message per image, because a whole list may exceed the size of a message.
      for (const image of await criErrors(async () => imagesFor(filter?.image?.image))) yield { images: [image] };
    },

    imageStatus: async ({ image, verbose }) =>
      criErrors(async () => {
        const found = store.resolve(nameIn(image));
        if (found === undefined) return {};
        const info = { chainID: found.layers.at(-1) ?? '', imageSpec: found.config };
        return { image: describeImage(found), ...(verbose === true ? { info: { info: JSON.stringify(info) } } : {}) };
      }),

    pullImage: async ({ image, auth }, options) =>
      criErrors(async () => {
        const pulled = await store.pull(nameIn(image), { ...(auth === undefined ? {} : { auth }), ...options });
        return { imageRef: pulled.id };
      }),

    removeImage: async ({ image }) =>
      criErrors(async () => {
        await store.remove(nameIn(image));
        return {};
      }),

    imageFsInfo: async (): Promise<ImageFsInfoResponse> =>
      criErrors(async () => {
        const [images, containers] = await Promise.all([imageUsage(), containerUsage()]);
        const usage = ({ bytes, inodes }: DiskUsage) => ({
          timestamp: Math.floor(now()) * 1_000_000,
          fsId: { mountpoint: root },
          usedBytes: { value: bytes },
          inodesUsed: { value: inodes },
        });
        return { imageFilesystems: [usage(images)], containerFilesystems: [usage(containers)] };
      }),
  };
}

function describeImage(image: StoredImage): Image {
  return {
    id: image.id,
    repoTags: image.tags,
    repoDigests: image.digests,
    size: image.size,
    ...userOf(image.config.config?.User ?? ''),
    spec: { image: '' },
    pinned: image.pinned,
  };
}

/** `uid[:gid]` or `name[:group]`; the kubelet checks runAsNonRoot with it. */
function userOf(user: string): Pick<Image, 'uid' | 'username'> {
  const name = user.split(':', 1)[0] ?? '';
  if (name === '') return { uid: { value: 0 }, username: '' };
  return /^[0-9]+$/.test(name) ? { uid: { value: Number(name) }, username: '' } : { username: name };
}

function nameIn(spec: ImageSpec | undefined): string {
  const name = spec?.image ?? '';
  if (name === '') throw new ImageError('INVALID_ARGUMENT', 'the request names no image');
  return name;
}

async function criErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ImageError) throw new CriError(error.code, error.message, { cause: error });
    throw error;
  }
}
