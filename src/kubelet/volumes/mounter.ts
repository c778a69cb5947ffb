/** Mounts and unmounts by libc calls, which are cheaper than running mount(8). */
import fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import { formatAndMount, type DeviceMountRequest } from './format-and-mount.ts';

export interface MountRequest {
  readonly source: string;
  readonly target: string;
  /** Empty for bind mounts. */
  readonly type: string;
  readonly flags: number;
  readonly data?: string;
}

/** The mount operations that volumes need; tests have a fake. */
export interface Mounter {
  mount(request: MountRequest): Promise<void>;
  /** Mounts a block device; one without a file system gets one. */
  formatAndMount(request: DeviceMountRequest): Promise<void>;
  unmount(target: string): Promise<void>;
  isMountPoint(target: string): Promise<boolean>;
  /** The mount points at or below a directory, deepest first. */
  below(directory: string): Promise<string[]>;
  /** Where else the file system at a mount point is mounted, wholly or in part. */
  references(target: string): Promise<string[]>;
}

export const MS_BIND = 4096;
export const MS_REC = 16_384;

const MNT_DETACH = 2;
const ERRORS: Readonly<Record<number, string>> = {
  1: 'operation not permitted',
  2: 'no such file or directory',
  13: 'permission denied',
  16: 'device or resource busy',
  19: 'no such device',
  20: 'not a directory',
  22: 'invalid argument',
};

type Call = (...values: unknown[]) => number;

interface Libc {
  readonly mount: Call;
  readonly umount2: Call;
  errno(): number;
}
let libc: Libc | undefined;

/** On first use: a cluster of simulated nodes runs where there is neither the module nor this libc. */
function load(): Libc {
  if (libc === undefined) {
    const koffi = createRequire(import.meta.url)('koffi') as {
      load(name: string): { func(prototype: string): Call };
      errno(): number;
    };
    const library = koffi.load('libc.so.6');
    libc = {
      mount: library.func(
        'int mount(const char *source, const char *target, const char *type, unsigned long flags, const char *data)',
      ),
      umount2: library.func('int umount2(const char *target, int flags)'),
      errno: () => koffi.errno(),
    };
  }
  return libc;
}

class MountError extends Error {
  override readonly name = 'MountError';
  readonly code: string;

  constructor(what: string, errno: number) {
    super(`${what}: ${ERRORS[errno] ?? `errno ${errno}`}`);
    this.code = `errno-${errno}`;
  }
}

export function systemMounter(): Mounter {
  return {
    mount({ source, target, type, flags, data }) {
      const call = load();
      if (call.mount(source, target, type === '' ? null : type, flags, data ?? null) !== 0)
        return Promise.reject(new MountError(`mount ${source} on ${target}`, call.errno()));
      return Promise.resolve();
    },
    formatAndMount: (request) => formatAndMount(request),
    unmount(target) {
      const call = load();
      if (call.umount2(target, MNT_DETACH) !== 0 && ![2, 22].includes(call.errno()))
        return Promise.reject(new MountError(`unmount ${target}`, call.errno()));
      return Promise.resolve();
    },
    async isMountPoint(target) {
      return (await mountPoints()).some(({ point }) => point === target);
    },
    async below(directory) {
      return (await mountPoints())
        .map(({ point }) => point)
        .filter((point) => point === directory || point.startsWith(`${directory}/`))
        .toReversed();
    },
    async references(target) {
      const all = await mountPoints();
      const device = all.findLast(({ point }) => point === target)?.device;
      return all.filter((mount) => mount.device === device && mount.point !== target).map(({ point }) => point);
    },
  };
}

async function mountPoints(): Promise<{ point: string; device: string }[]> {
  const text = await fs.readFile('/proc/self/mountinfo', 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '))
    .map((fields) => ({ point: unescape(fields[4] ?? ''), device: fields[2] ?? '' }));
}

/** The kernel escapes spaces and other characters in mountinfo as octal numbers. */
const unescape = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
