import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { unpackLayer, type UnpackedLayer } from '../src/container-runtime/images/layers/unpack-layer.ts';
import { DEFAULT_UNPACK_LIMITS, type UnpackLimits } from '../src/container-runtime/images/layers/unpack-limits.ts';
import { encodeTar } from '../src/container-runtime/images/tar/tar-writer.ts';
import { getAttribute, mount, unmount } from '../src/container-runtime/linux/file-system-calls.ts';
import { requires } from './requires.ts';
import { digestOf, type ImageFile } from './test-images.ts';

const missing = requires('root');

describe.skipIf(missing !== undefined)(`unpacking layers${missing === undefined ? '' : ` (${missing})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'k8ts-layers-'));
  const outside = join(folder, 'outside');
  let layers = 0;

  beforeEach(() => {
    rmSync(outside, { recursive: true, force: true });
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret'), 'secret');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  interface Unpacked extends UnpackedLayer {
    readonly path: string;
  }

  const unpack = async (
    files: readonly ImageFile[] | Buffer,
    options: { lowers?: readonly string[]; limits?: Partial<UnpackLimits>; compress?: boolean } = {},
  ): Promise<Unpacked> => {
    const tar = Buffer.isBuffer(files) ? files : encodeTar(files as readonly ImageFile[]);
    const blob = join(folder, `blob-${++layers}`);
    writeFileSync(blob, options.compress === true ? gzipSync(tar) : tar);
    const path = join(folder, `layer-${layers}`);
    const limits = { ...DEFAULT_UNPACK_LIMITS, ...options.limits };
    const unpacked = await unpackLayer({
      blob,
      diffId: digestOf(tar),
      target: path,
      lowers: options.lowers ?? [],
      limits,
    });
    return { ...unpacked, path };
  };

  it('creates files with their modes, owners, times, links and capabilities', async () => {
    const capability = Buffer.from('0100000202040000000000000000000000000000', 'hex');
    const long = `${'n'.repeat(120)}/${'m'.repeat(120)}`;
    const { path, bytes } = await unpack([
      { name: './', type: 'directory', mode: 0o711 },
      { name: 'a/', type: 'directory', mode: 0o1777, uid: 5, gid: 6, modified: 1000 },
      { name: 'a/su', mode: 0o4755, uid: 7, gid: 8, modified: 1_500_000_000, content: 'setuid' },
      { name: 'a/ping', mode: 0o755, content: 'ping', attributes: new Map([['security.capability', capability]]) },
      { name: 'a/hard', type: 'link', target: 'a/su' },
      { name: 'a/soft', type: 'symlink', target: '/etc/passwd', uid: 9, gid: 9 },
      { name: 'a/fifo', type: 'fifo', mode: 0o640 },
      { name: 'a/null', type: 'character-device', mode: 0o666, device: { major: 1, minor: 3 } },
      { name: long, content: 'long' },
      { name: '/absolute', content: 'inside' },
      { name: 'a/ping', mode: 0o700, content: 'second', attributes: new Map([['security.capability', capability]]) },
    ]);
    expect(lstatSync(path).mode & 0o7777).toBe(0o711);
    expect(lstatSync(join(path, 'a'))).toMatchObject({ uid: 5, gid: 6, mtimeMs: 1_000_000 });
    expect(lstatSync(join(path, 'a')).mode & 0o7777).toBe(0o1777);
    expect(lstatSync(join(path, 'a/su'))).toMatchObject({ uid: 7, gid: 8, nlink: 2, mtimeMs: 1_500_000_000_000 });
    expect(lstatSync(join(path, 'a/su')).mode & 0o7777).toBe(0o4755);
    expect(readlinkSync(join(path, 'a/soft'))).toBe('/etc/passwd');
    expect(lstatSync(join(path, 'a/soft')).uid).toBe(9);
    expect(lstatSync(join(path, 'a/fifo')).isFIFO()).toBe(true);
    expect(lstatSync(join(path, 'a/null')).rdev).toBe(0x103);
    expect(readFileSync(join(path, long), 'utf8')).toBe('long');
    expect(readFileSync(join(path, 'absolute'), 'utf8')).toBe('inside');
    expect(readFileSync(join(path, 'a/ping'), 'utf8')).toBe('second');
    expect(getAttribute(join(path, 'a/ping'), 'security.capability')).toEqual(capability);
    expect(bytes).toBe(6 + 4 + 4 + 6 + 6);
  });

  it('decompresses gzip and zstd', async () => {
    const tar = encodeTar([{ name: 'file', content: Buffer.alloc(300_000, 'text') }]);
    const blocks: Buffer[] = [];
    for (let at = 0; at < tar.length; at += 100_000) {
      const block = tar.subarray(at, at + 100_000);
      const header = Buffer.alloc(3);
      header.writeUIntLE((block.length << 3) | (at + 100_000 >= tar.length ? 1 : 0), 0, 3);
      blocks.push(header, block);
    }
    const zstd = Buffer.concat([Buffer.from('28b52ffd0058', 'hex'), ...blocks]);
    for (const [name, bytes] of Object.entries({ gzip: gzipSync(tar), zstd, none: tar })) {
      const blob = join(folder, `compressed-${name}`);
      writeFileSync(blob, bytes);
      const target = join(folder, `from-${name}`);
      await unpackLayer({ blob, diffId: digestOf(tar), target, lowers: [], limits: DEFAULT_UNPACK_LIMITS });
      expect(lstatSync(join(target, 'file')).size).toBe(300_000);
    }
  });

  it('stacks: deletions, opaque folders, implied folders, links to lower layers', async () => {
    const base = await unpack([
      { name: 'keep', content: 'keep' },
      { name: 'gone', content: 'gone' },
      { name: 'dir/', type: 'directory', mode: 0o750, uid: 3, gid: 4, modified: 77 },
      { name: 'dir/old', mode: 0o600, uid: 11, gid: 12, content: 'old' },
      { name: 'opaque/', type: 'directory', mode: 0o755 },
      { name: 'opaque/old', content: 'old' },
      { name: 'replaced/', type: 'directory', mode: 0o755 },
      { name: 'replaced/old', content: 'old' },
    ]);
    const upper = await unpack(
      [
        { name: '.wh.gone' },
        { name: '.wh.never-was' },
        { name: 'dir/new', content: 'new' },
        { name: 'dir/linked', type: 'link', target: 'dir/old' },
        { name: 'opaque/.wh..wh..opq' },
        { name: 'opaque/new', content: 'new' },
        { name: '.wh.replaced' },
        { name: 'replaced/', type: 'directory', mode: 0o755 },
        { name: 'replaced/new', content: 'new' },
      ],
      { lowers: [base.path] },
    );
    const merged = join(folder, 'merged');
    mkdirSync(merged);
    mount('overlay', merged, { type: 'overlay', data: `lowerdir=${upper.path}:${base.path}` });
    try {
      expect(readdirSync(merged).sort()).toEqual(['dir', 'keep', 'opaque', 'replaced']);
      expect(readdirSync(join(merged, 'dir')).sort()).toEqual(['linked', 'new', 'old']);
      expect(readFileSync(join(merged, 'dir/linked'), 'utf8')).toBe('old');
      expect(lstatSync(join(merged, 'dir/linked'))).toMatchObject({ uid: 11, gid: 12, nlink: 2 });
      expect(lstatSync(join(merged, 'dir'))).toMatchObject({ uid: 3, gid: 4, mtimeMs: 77_000 });
      expect(lstatSync(join(merged, 'dir')).mode & 0o7777).toBe(0o750);
      expect(readdirSync(join(merged, 'opaque'))).toEqual(['new']);
      expect(readdirSync(join(merged, 'replaced'))).toEqual(['new']);
    } finally {
      unmount(merged);
    }
  });

  const up = '../'.repeat(20);
  const hostile: readonly [name: string, files: (outside: string) => readonly ImageFile[], message: RegExp][] = [
    ['a name that climbs', (out) => [{ name: `${up}${out}/x`, content: 'x' }], /would leave the layer/],
    ['a climbing name in the middle', (out) => [{ name: `a/${up}${out}/x`, content: 'x' }], /would leave the layer/],
    ['a climbing folder', () => [{ name: 'a/../../b/', type: 'directory' }], /would leave the layer/],
    ['a climbing whiteout', () => [{ name: 'a/.wh...' }], /names nothing/],
    [
      'a climbing hard link',
      (out) => [{ name: 'x', type: 'link', target: `${up}${out}/secret` }],
      /would leave the layer/,
    ],
    [
      'a hard link to what only the machine has',
      (out) => [{ name: 'x', type: 'link', target: `${out}/secret` }],
      /which is not there/,
    ],
    [
      'a hard link through a symbolic link',
      (out) => [
        { name: 'd', type: 'symlink', target: out },
        { name: 'x', type: 'link', target: 'd/secret' },
      ],
      /which is not there/,
    ],
    [
      'a disk',
      () => [{ name: 'dev/sda', type: 'block-device', device: { major: 8, minor: 0 } }],
      /block-device 8:0 "dev\/sda" is not allowed/,
    ],
    [
      'memory',
      () => [{ name: 'mem', type: 'character-device', device: { major: 1, minor: 1 } }],
      /character-device 1:1 .* not allowed/,
    ],
    [
      'a smuggled whiteout',
      () => [{ name: 'etc', type: 'character-device', device: { major: 0, minor: 0 } }],
      /character-device 0:0 .* not allowed/,
    ],
    [
      'an attribute of overlayfs',
      () => [
        { name: 'd', type: 'directory', attributes: new Map([['trusted.overlay.redirect', Buffer.from('/etc')]]) },
      ],
      /attribute trusted.overlay.redirect .* not allowed/,
    ],
    ['a root that is a link', () => [{ name: './', type: 'symlink', target: '/etc' }], /root is a symlink/],
    [
      'a file as a folder',
      () => [
        { name: 'f', content: 'x' },
        { name: 'f/x', content: 'x' },
      ],
      /is not a folder/,
    ],
    [
      'links in a circle',
      () => [
        { name: 'a', type: 'symlink', target: 'b' },
        { name: 'b', type: 'symlink', target: 'a' },
        { name: 'a/x', content: 'x' },
      ],
      /too many symbolic links/,
    ],
    ['an owner out of range', () => [{ name: 'x', uid: 2 ** 32, content: 'x' }], /owner of "x" is out of range/],
    ['a name that is too long', () => [{ name: 'x'.repeat(300), content: 'x' }], /too long/],
    ['a path that is too long', () => [{ name: 'x/'.repeat(2500), type: 'directory' }], /longer than 4096/],
    ['an absurd size', () => [{ name: 'x', size: 2 ** 50 }], /has 1125899906842624 bytes/],
    [
      'a link to the folder it replaces',
      () => [
        { name: 'd/f', content: 'x' },
        { name: 'd', type: 'link', target: 'd/f' },
      ],
      /link to what it would replace/,
    ],
  ];
  it.each(hostile)('refuses %s', async (_name, files, message) => {
    await expect(unpack(files(outside))).rejects.toThrow(message);
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
  });

  it('symbolic links lead around inside of the layer only', async () => {
    const { path } = await unpack([
      { name: 'out', type: 'symlink', target: outside },
      { name: 'out/planted', content: 'x' },
      { name: 'up', type: 'symlink', target: '../../../../../../../../..' },
      { name: `up${outside}/planted`, content: 'x' },
      { name: 'run/', type: 'directory' },
      { name: 'var/run', type: 'symlink', target: '/run' },
      { name: 'var/run/pid', content: '1' },
      { name: 'secret', type: 'symlink', target: join(outside, 'secret') },
      { name: 'secret', content: 'replaced' },
      { name: 'empty', type: 'symlink', target: outside },
      { name: 'empty/', type: 'directory', mode: 0o777, uid: 99 },
      { name: 'out/.wh.secret' },
    ]);
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
    expect(lstatSync(outside).uid).toBe(0);
    expect(readFileSync(join(path, outside, 'planted'), 'utf8')).toBe('x');
    expect(readFileSync(join(path, 'run/pid'), 'utf8')).toBe('1');
    expect(readFileSync(join(path, 'secret'), 'utf8')).toBe('replaced');
    expect(lstatSync(join(path, 'empty')).isDirectory()).toBe(true);
  });

  it('copies nothing of the machine through a link in a lower layer', async () => {
    const base = await unpack([{ name: 'd', type: 'symlink', target: outside }]);
    await expect(unpack([{ name: 'x', type: 'link', target: 'd/secret' }], { lowers: [base.path] })).rejects.toThrow(
      /which is not there/,
    );
  });

  const bombs: readonly [name: string, files: readonly ImageFile[], limits: Partial<UnpackLimits>, message: RegExp][] =
    [
      [
        'bytes',
        [{ name: 'zeros', content: Buffer.alloc(3 * 1024 * 1024) }],
        { layerBytes: 2 * 1024 * 1024 },
        /has 3145728 bytes|more than 2097152 bytes/,
      ],
      [
        'a ratio',
        [{ name: 'zeros', content: Buffer.alloc(8 * 1024 * 1024) }],
        { ratioFloorBytes: 1024 * 1024, ratio: 100 },
        /more than 100 times its size/,
      ],
      [
        'entries',
        Array.from({ length: 20 }, (_, index) => ({ name: `f${index}` })),
        { entries: 10 },
        /more than 10 entries/,
      ],
      ['the last free bytes', [{ name: 'x', content: 'x' }], { freeBytes: Number.MAX_SAFE_INTEGER }, /no space left/],
    ];
  it.each(bombs)('stops at a limit: %s', async (_name, files, limits, message) => {
    await expect(unpack(files, { limits, compress: true })).rejects.toThrow(message);
  });

  it('refuses content that does not match the config, or is not an archive', async () => {
    const blob = join(folder, 'wrong');
    writeFileSync(blob, encodeTar([{ name: 'x', content: 'x' }]));
    const job = { blob, diffId: digestOf(Buffer.from('other')), lowers: [], limits: DEFAULT_UNPACK_LIMITS };
    await expect(unpackLayer({ ...job, target: join(folder, 'wrong-1') })).rejects.toThrow(
      /wrong diff id calculated on extraction/,
    );
    await expect(unpack(Buffer.alloc(1024, 'x'))).rejects.toThrow(/checksum/);
    const whole = gzipSync(encodeTar([{ name: 'x', content: Buffer.alloc(5000, 'y') }]));
    writeFileSync(blob, whole.subarray(0, whole.length - 20));
    await expect(unpackLayer({ ...job, target: join(folder, 'wrong-2') })).rejects.toThrow(
      /cannot be decompressed|ends in the middle/,
    );
    expect(existsSync(join(outside, 'secret'))).toBe(true);
  });
});
