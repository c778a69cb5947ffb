/** An entry of a tar archive, with what pax and GNU headers before it said. */

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
  /** Of links: what they point to. */
  readonly target: string;
  readonly device?: { readonly major: number; readonly minor: number };
  /** Extended attributes by name. */
  readonly attributes?: ReadonlyMap<string, Buffer>;
}

export const BLOCK = 512;

/** The archive is not one, or holds what we do not take. */
export class TarError extends Error {
  override readonly name = 'TarError';
  readonly code = 'invalid-archive';
}

/** Bytes that fill an entry's content up to a whole block. */
export function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}
