/** An entry of a tar archive, with the values of its pax and GNU headers. */

export type TarEntryType = 'file' | 'link' | 'symlink' | 'character-device' | 'block-device' | 'directory' | 'fifo';

export interface TarEntry {
  readonly type: TarEntryType;
  readonly name: string;
  /** Permission bits with setuid, setgid and sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /** Seconds since the epoch, with a fraction. */
  readonly modified: number;
  /** The target of a link. */
  readonly target: string;
  readonly device?: { readonly major: number; readonly minor: number };
  /** Extended attributes by name. */
  readonly attributes?: ReadonlyMap<string, Buffer>;
}

export const BLOCK = 512;

/** The archive is invalid, or has entries that are not supported. */
export class TarError extends Error {
  override readonly name = 'TarError';
  readonly code = 'invalid-archive';
}

/** The number of bytes that pad an entry's content to a whole block. */
export function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}
