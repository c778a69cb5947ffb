/** Warnings about overlapping file paths in a volume. */
import type { KeyToPath, Volume, VolumeProjection } from '../../../../api/generated/core-v1.ts';
import { append, quote } from '../../../../base/index.ts';

interface VolumeFile {
  readonly path: string;
  /** The source of a projected volume. */
  readonly source: string;
}

export function volumePathWarnings(warnings: string[], volumes: readonly Volume[]): void {
  for (const volume of volumes) {
    const { configMap, secret, downwardAPI, projected } = volume;
    if (configMap?.items)
      warn(warnings, volume, `ConfigMap ${quote(configMap.name ?? '')}`, overlaps(filesOf(configMap.items)));
    if (secret?.items)
      warn(warnings, volume, `Secret ${quote(secret.secretName ?? '')}`, overlaps(filesOf(secret.items)));
    if (downwardAPI?.items) warn(warnings, volume, 'DownwardAPI', overlaps(filesOf(downwardAPI.items)));
    if (!projected) continue;
    const files: VolumeFile[] = [];
    for (const source of projected.sources ?? []) {
      if (Object.values(source).every((value) => value === undefined || value === null)) {
        warnings.push(`volume ${quote(volume.name)} (Projected) has no sources provided`);
      } else append(files, projectedFiles(source));
    }
    warn(warnings, volume, 'Projected', overlaps(files));
  }
}

function warn(warnings: string[], volume: Volume, what: string, found: readonly string[]): void {
  for (const overlap of found) warnings.push(`volume ${quote(volume.name)} (${what}): overlapping paths: ${overlap}`);
}

const filesOf = (items: readonly Pick<KeyToPath, 'path'>[], source = ''): VolumeFile[] =>
  items.map(({ path = '' }) => ({ path: path.replace(/(?<!\/)\/+$/, ''), source }));

function projectedFiles(source: VolumeProjection): VolumeFile[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (configMap?.items) return filesOf(configMap.items, `ConfigMap ${quote(configMap.name ?? '')}`);
  if (secret?.items) return filesOf(secret.items, `Secret ${quote(secret.name ?? '')}`);
  if (downwardAPI?.items) return filesOf(downwardAPI.items, 'DownwardAPI');
  if (serviceAccountToken) return filesOf([serviceAccountToken], 'ServiceAccountToken');
  if (clusterTrustBundle) {
    return filesOf(
      [clusterTrustBundle],
      `ClusterTrustBundle ${quote(clusterTrustBundle.name ?? clusterTrustBundle.signerName ?? '')}`,
    );
  }
  if (!podCertificate) return [];
  const { credentialBundlePath, keyPath, certificateChainPath } = podCertificate;
  const paths = [credentialBundlePath, keyPath, certificateChainPath].filter((path): path is string => Boolean(path));
  return filesOf(
    paths.map((path) => ({ path })),
    'PodCertificate',
  );
}

/** The maximum number of reported overlaps. */
const MAX_OVERLAPS = 1000;

/**
 * Finds files with the same path, or whose path is a directory of another. Sorted, a directory precedes its content.
 */
function overlaps(files: readonly VolumeFile[]): string[] {
  const sorted = files.map(({ path }, index) => ({ index, path: `${path}/` })).filter(({ path }) => path !== '/');
  sorted.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.index - b.index));
  const pairs: (readonly [later: number, earlier: number])[] = [];
  const around: typeof sorted = [];
  for (const file of sorted) {
    while (around.length > 0 && !file.path.startsWith(around.at(-1)!.path)) around.pop();
    for (const { index } of around) pairs.push(index < file.index ? [file.index, index] : [index, file.index]);
    if (pairs.length > MAX_OVERLAPS) break;
    around.push(file);
  }
  pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return pairs.map(([later, earlier]) => `${shown(files[later]!)} with ${shown(files[earlier]!)}`);
}

const shown = ({ path, source }: VolumeFile): string => (source === '' ? quote(path) : `${quote(path)} (${source})`);
