/**
 * Where pods find the kubelet's directory. Drivers, device plugins and agents are written for `/var/lib/kubelet`; each
 * of several nodes on one machine has a directory of its own, which its pods nevertheless find there.
 */
import path from 'node:path';

/** Where kubelets of machines of their own have it. */
export const DEFAULT_ROOT_DIRECTORY = '/var/lib/kubelet';

export interface KubeletRoot {
  /** `--root-dir`: where the kubelet's directory is. */
  readonly rootDirectory: string;
  /** Where pods find it; default: where it is. */
  readonly publishedRootDirectory?: string;
}

/** The path on the machine of a path that a pod, a volume or a driver names. */
export const pathOnNode = ({ rootDirectory, publishedRootDirectory }: KubeletRoot, named: string): string =>
  moved(named, publishedRootDirectory, rootDirectory);

/** The path by which drivers know a path on the machine. */
export const publishedPath = ({ rootDirectory, publishedRootDirectory }: KubeletRoot, onNode: string): string =>
  moved(onNode, rootDirectory, publishedRootDirectory);

function moved(file: string, from: string | undefined, to: string | undefined): string {
  if (from === undefined || to === undefined || from === to) return file;
  const rest = path.relative(from, file);
  return path.isAbsolute(file) && rest !== '..' && !rest.startsWith('../') ? path.join(to, rest) : file;
}
