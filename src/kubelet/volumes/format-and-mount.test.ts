import { describe, expect, it } from 'vitest';
import { formatAndMount, growFileSystem } from './format-and-mount.ts';

interface Case {
  readonly name: string;
  /** What blkid prints; undefined if it finds nothing. */
  readonly found?: string;
  readonly fsType?: string;
  readonly options?: readonly string[];
  /** The exit code of a program. */
  readonly fails?: Readonly<Record<string, number>>;
  /** The programs that run after blkid, or why it fails. */
  readonly runs: readonly string[] | RegExp;
}

const MOUNT = 'mount -t ext4 -o defaults /dev/x /target';

const cases: Case[] = [
  { name: 'an empty device is formatted', runs: ['mkfs.ext4 -F -m0 /dev/x', MOUNT] },
  { name: 'with xfs', fsType: 'xfs', runs: ['mkfs.xfs -f /dev/x', 'mount -t xfs -o defaults /dev/x /target'] },
  {
    name: 'with another file system',
    fsType: 'btrfs',
    runs: ['mkfs.btrfs /dev/x', 'mount -t btrfs -o defaults /dev/x /target'],
  },
  { name: 'a file system is checked', found: 'TYPE=ext4\n', runs: ['fsck -a /dev/x', MOUNT] },
  { name: 'and corrected', found: 'TYPE=ext4\n', fails: { fsck: 1 }, runs: ['fsck -a /dev/x', MOUNT] },
  {
    name: 'or not corrected',
    found: 'TYPE=ext4\n',
    fails: { fsck: 4 },
    runs: /^'fsck' found errors on device \/dev\/x/,
  },
  { name: 'a partition table is not formatted', found: 'PTTYPE=gpt\n', runs: ['fsck -a /dev/x', MOUNT] },
  {
    name: 'what is read only is mounted as it is',
    found: 'TYPE=ext4\n',
    options: ['noatime', 'ro'],
    runs: ['mount -t ext4 -o noatime,ro,defaults /dev/x /target'],
  },
  { name: 'and not formatted', options: ['ro'], runs: /^cannot mount unformatted disk \/dev\/x/ },
  {
    name: 'no format without mkfs',
    fails: { 'mkfs.ext4': 1 },
    runs: /^format of disk "\/dev\/x" failed: type:\("ext4"\)/,
  },
];

describe('formatAndMount', () => {
  it.each(cases)('$name', async ({ found, fsType = 'ext4', options = [], fails = {}, runs }) => {
    const ran: string[] = [];
    const run = (program: string, args: readonly string[]): Promise<string> => {
      const code = program === 'blkid' && found === undefined ? 2 : fails[program];
      if (program !== 'blkid') ran.push([program, ...args].join(' '));
      if (code !== undefined) return Promise.reject(Object.assign(new Error(program), { code }));
      return Promise.resolve(found ?? '');
    };
    const mounting = formatAndMount({ device: '/dev/x', target: '/target', fsType, options }, run);
    if (runs instanceof RegExp) await expect(mounting).rejects.toThrow(runs);
    else {
      await mounting;
      expect(ran).toEqual(runs);
    }
  });
});

describe('growFileSystem', () => {
  it.each([
    ['ext4', 'resize2fs /dev/x'],
    ['ext3', 'resize2fs /dev/x'],
    ['xfs', 'xfs_growfs -d /target'],
    ['btrfs', 'btrfs filesystem resize max /target'],
    ['vfat', /^resize of format vfat is not supported for device \/dev\/x mounted at \/target$/],
  ])('%s', async (format, expected) => {
    const ran: string[] = [];
    const run = (program: string, args: readonly string[]): Promise<string> => {
      if (program !== 'blkid') ran.push([program, ...args].join(' '));
      return Promise.resolve(`TYPE=${format}\n`);
    };
    const growing = growFileSystem('/dev/x', '/target', run);
    if (expected instanceof RegExp) await expect(growing).rejects.toThrow(expected);
    else {
      await growing;
      expect(ran).toEqual([expected]);
    }
  });
});
