/**
 * Looks up a path in the layers below a layer, as overlayfs would. They are untrusted too: symbolic links are not
 * followed.
 */
import type { Stats } from 'node:fs';
import { getAttribute } from '../../linux/file-system-calls.ts';
import { inUserNamespace } from '../../linux/user-namespace.ts';
import { isWhiteout, lookAt } from './layer-paths.ts';

/** The attribute of directories that hide those below; in a user namespace overlayfs reads `user.*` instead. */
export const opaqueAttribute = (): string => (inUserNamespace() ? 'user.overlay.opaque' : 'trusted.overlay.opaque');

interface FoundBelow {
  readonly path: string;
  readonly stats: Stats;
}

/** `lowers` are the layers' directories, the topmost first. */
export function findBelow(lowers: readonly string[], inside: string): FoundBelow | undefined {
  const parts = inside.split('/');
  for (const lower of lowers) {
    let path = lower;
    let found: FoundBelow | undefined;
    let hidesBelow = false;
    for (const [index, part] of parts.entries()) {
      path = `${path}/${part}`;
      const stats = lookAt(path);
      if (stats === undefined) break;
      if (index === parts.length - 1) found = { path, stats };
      else if (!stats.isDirectory()) hidesBelow = true;
      else if (getAttribute(path, opaqueAttribute())?.toString() === 'y') hidesBelow = true;
      if (!stats.isDirectory()) break;
    }
    if (found !== undefined) return isWhiteout(found.stats) ? undefined : found;
    if (hidesBelow) return undefined;
  }
  return undefined;
}
