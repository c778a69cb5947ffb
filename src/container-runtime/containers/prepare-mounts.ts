/**
 * Prepares the sources of a container's mounts: creates and resolves host paths, mounts image volumes and idmapped
 * volumes.
 */
import fs from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../../base/index.ts';
import { CriError, type Mount } from '../../cri/index.ts';
import { makeDirectorySync } from '../../kernel/index.ts';
import type { UserNamespaceMapping } from '../images/index.ts';
import { attachMount, cloneMount, mapOwners } from '../linux/file-system-calls.ts';
import type { RuntimeParts } from '../runtime-parts.ts';

interface PrepareMountsOptions {
  readonly id: string;
  readonly mounts: readonly Mount[];
  readonly userNamespace?: UserNamespaceMapping;
}

/** `selinuxRelabel` is ignored: SELinux labels are not changed. */
export async function prepareMounts(
  parts: RuntimeParts,
  { id, mounts, userNamespace }: PrepareMountsOptions,
): Promise<Mount[]> {
  return Promise.all(
    mounts.map(async (mount, index) => {
      if (mount.image?.image)
        return {
          ...mount,
          readonly: true,
          hostPath: await mountImageVolume(parts, { id, mount, index, ...(userNamespace && { userNamespace }) }),
        };
      const source = existingSource(mount);
      return {
        ...mount,
        hostPath:
          userNamespace && (mount.uidMappings ?? []).length > 0
            ? mapVolumeOwners(parts, { id, source, index, userNamespace })
            : source,
      };
    }),
  );
}

/** A missing source is created as a directory, as in other runtimes. */
function existingSource({ hostPath = '', containerPath = '' }: Mount): string {
  if (!path.isAbsolute(hostPath))
    throw new CriError(
      'INVALID_ARGUMENT',
      `the source ${JSON.stringify(hostPath)} of the mount ${containerPath} is not absolute`,
    );
  try {
    return fs.realpathSync(hostPath);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  makeDirectorySync(hostPath, { mode: 0o755 });
  return fs.realpathSync(hostPath);
}

interface MappedVolume {
  readonly id: string;
  readonly source: string;
  readonly index: number;
  readonly userNamespace: UserNamespaceMapping;
}

/** An idmapped mount of the volume: the pod's user namespace sees the owners that the files have on disk. */
function mapVolumeOwners(parts: RuntimeParts, { id, source, index, userNamespace }: MappedVolume): string {
  const target = path.join(parts.paths.container(id).mounts, String(index));
  makeDirectorySync(path.dirname(target));
  if (fs.statSync(source).isDirectory()) fs.mkdirSync(target);
  else fs.writeFileSync(target, '');
  const namespace = fs.openSync(userNamespace.path ?? '', 'r');
  try {
    const mount = cloneMount(source, { recursive: true });
    try {
      mapOwners(mount, namespace);
      attachMount(mount, target);
    } finally {
      fs.closeSync(mount);
    }
  } catch (error) {
    throw new Error(
      `the owners of the volume ${source} cannot be mapped to the pod's user namespace: ${errorMessage(error)}`,
      { cause: error },
    );
  } finally {
    fs.closeSync(namespace);
  }
  return target;
}

interface ImageVolume {
  readonly id: string;
  readonly mount: Mount;
  readonly index: number;
  readonly userNamespace?: UserNamespaceMapping;
}

async function mountImageVolume(
  parts: RuntimeParts,
  { id, mount, index, userNamespace }: ImageVolume,
): Promise<string> {
  const reference = mount.image?.image ?? '';
  const image = parts.images.resolve(reference);
  if (image === undefined)
    throw new CriError(
      'NOT_FOUND',
      `failed to get image ${JSON.stringify(reference)} of the mount ${mount.containerPath ?? ''}: not found`,
    );
  const target = path.join(parts.paths.container(id).images, String(index));
  makeDirectorySync(target);
  await parts.images.mountImage(image.id, target, {
    ...(mount.imageSubPath ? { subPath: mount.imageSubPath } : {}),
    ...(userNamespace && { userNamespace }),
  });
  return target;
}
