import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../scripts/build.mjs';
import { openImageStore, type ImageStore } from '../src/container-runtime/images/index.ts';
import { mount, MS, unmount } from '../src/container-runtime/linux/file-system-calls.ts';
import { createContext } from '../src/kernel/index.ts';
import { everything, findProgram, requires } from './requires.ts';
import { buildImage, busyboxImage, dockerArchive, ociArchive, webImage, type TestImage } from './test-images.ts';

const missing = requires('root', 'busybox');

const open = (root: string): Promise<ImageStore> => openImageStore(createContext({ writeLog: () => {} }), { root });
const load = (store: ImageStore, archive: Buffer) => store.loadArchive(Readable.from([archive]));
const mountsBelow = (folder: string): string[] =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((target) => target.startsWith(`${folder}/`));

describe.skipIf(missing !== undefined)(`the image store${missing === undefined ? '' : ` (${missing})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'k8ts-images-'));
  const root = join(folder, 'store');
  let store: ImageStore;

  beforeAll(async () => {
    store = await open(root);
  });
  afterAll(async () => {
    await store.close();
    expect(mountsBelow(folder)).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  });

  const archives: readonly [name: string, archive: (image: TestImage) => Buffer][] = [
    ['docker save', dockerArchive],
    ['an OCI layout', ociArchive],
    ['docker save, compressed', (image) => gzipSync(dockerArchive(image))],
  ];
  it.each(archives)('loads archives of %s', async (_name, archive) => {
    const image = webImage();
    const loaded = await load(store, archive(image));
    expect(loaded.map(({ id, tags }) => ({ id, tags }))).toEqual([{ id: image.id, tags: [image.name] }]);
    expect(store.resolve('www:test')?.config.config?.Entrypoint).toEqual(['httpd']);
    await store.remove('www:test');
    expect(store.list()).toEqual([]);
  });

  it('pulls what was loaded where there is no way to its registry, and nothing else', async () => {
    const [image] = await load(store, dockerArchive(webImage()));
    await store.tag('www:test', '127.0.0.1:1/www:test');
    expect((await store.pull('127.0.0.1:1/www:test')).id).toBe(image!.id);
    await expect(store.pull('127.0.0.1:1/other:test')).rejects.toThrow('RegistryUnavailable');
    await store.remove(image!.id);
    expect(store.list()).toEqual([]);
  });

  it('saves archives that another store loads', async () => {
    await load(store, ociArchive(webImage(), busyboxImage()));
    const path = join(folder, 'saved.tar');
    await store.saveArchive(['www:test', 'busybox:test'], createWriteStream(path));
    const other = await open(join(folder, 'other'));
    try {
      const loaded = await other.loadArchive(createReadStream(path));
      expect(loaded.map(({ id }) => id).sort()).toEqual([webImage().id, busyboxImage().id].sort());
      await expect(other.saveArchive(['none'], createWriteStream(path))).rejects.toThrow(/image "none": not found/);
    } finally {
      await other.close();
    }
  });

  const broken: readonly [name: string, archive: () => Buffer, message: RegExp][] = [
    [
      'a blob that is not what its name says',
      () => tampered(ociArchive(busyboxImage())),
      /has the digest|wrong diff id|cannot be decompressed/,
    ],
    ['half an archive', () => dockerArchive(busyboxImage()).subarray(0, 700_000), /ends in the middle/],
    ['something else', () => Buffer.alloc(2048, 7), /checksum/],
    [
      'a layer that climbs',
      () => dockerArchive(buildImage({ name: 'evil:1', layers: [[{ name: '../../evil', content: 'x' }]] })),
      /failed to extract layer sha256:.*would leave the layer/,
    ],
  ];
  it.each(broken)('refuses %s', async (_name, archive, message) => {
    const before = store.list().length;
    await expect(load(store, archive())).rejects.toThrow(message);
    expect(store.list()).toHaveLength(before);
  });

  it('creates a root file system for each container', async () => {
    const [image] = await load(store, ociArchive(webImage()));
    if (image === undefined) throw new Error('nothing loaded');
    const one = await store.snapshots.prepare('one', image.id);
    const two = await store.snapshots.prepare('two', image.id, { target: join(folder, 'elsewhere') });
    expect(await store.snapshots.prepare('one', image.id)).toEqual(one);
    writeFileSync(join(one.rootfs, 'www/index.html'), 'changed');
    rmSync(join(one.rootfs, 'bin/ls'));
    expect(readFileSync(join(two.rootfs, 'www/index.html'), 'utf8')).toBe('ok\n');
    expect(existsSync(join(two.rootfs, 'bin/ls')) || lstatSync(join(two.rootfs, 'bin/ls')).isSymbolicLink()).toBe(true);
    expect(readdirSync(one.upperdir ?? '').sort()).toEqual(['bin', 'www']);
    expect((await store.snapshots.usage('one')).inodes).toBe(5);
    expect((await store.snapshots.usage('two')).inodes).toBe(1);
    const { imageFilesystems: [images] = [], containerFilesystems: [containers] = [] } =
      await store.service.imageFsInfo({});
    expect(images?.fsId?.mountpoint).toBe(root);
    expect(images?.usedBytes?.value).toBeGreaterThan(1_000_000);
    expect(containers?.inodesUsed?.value).toBe(6);
    await expect(store.snapshots.prepare('../escape', image.id)).rejects.toThrow(/not a key/);

    // An image that is removed lives on below its containers.
    await store.remove(image.id);
    expect(readFileSync(join(two.rootfs, 'www/index.html'), 'utf8')).toBe('ok\n');
    for (const key of ['one', 'two', 'never']) await store.snapshots.remove(key);
    expect(existsSync(two.rootfs)).toBe(false);
    expect(mountsBelow(folder)).toEqual([]);
    expect((await store.collectGarbage()).layers).toBe(1);
  });

  it('mounts again after a reboot', async () => {
    const [image] = await load(store, ociArchive(busyboxImage()));
    const { rootfs } = await store.snapshots.prepare('rebooted', image?.id ?? '');
    writeFileSync(join(rootfs, 'kept'), 'kept');
    unmount(rootfs);
    const again = await open(root);
    expect((await again.snapshots.remount('rebooted')).rootfs).toBe(rootfs);
    expect(readFileSync(join(rootfs, 'kept'), 'utf8')).toBe('kept');
    await again.snapshots.remount('rebooted');
    expect(mountsBelow(folder)).toEqual([rootfs]);
    await again.close();
    await store.snapshots.remove('rebooted');
  });

  it('mounts images as volumes, read-only, and parts of them', async () => {
    const [image] = await load(store, ociArchive(webImage()));
    const id = image?.id ?? '';
    const [whole, part] = [join(folder, 'volume'), join(folder, 'part')];
    for (const target of [whole, part]) mkdirSync(target);
    await store.mountImage(id, whole);
    await store.mountImage(id, part, { subPath: '../www/../www' });
    expect(readdirSync(part).sort()).toEqual(['cgi-bin', 'index.html']);
    expect(() => writeFileSync(join(whole, 'x'), 'x')).toThrow(/EROFS/);
    expect(() => writeFileSync(join(part, 'x'), 'x')).toThrow(/EROFS/);
    await store.remove(id);
    expect(readFileSync(join(whole, 'etc/group'), 'utf8')).toContain('extra');
    for (const target of [whole, part, folder]) await store.unmountImage(target);
    expect(mountsBelow(folder)).toEqual([]);
    await load(store, ociArchive(webImage()));
    await expect(store.mountImage(id, whole, { subPath: 'etc/passwd' })).rejects.toThrow(/not a folder/);
    await expect(store.mountImage(id, whole, { subPath: 'none' })).rejects.toThrow(/no path none/);
    expect(mountsBelow(folder)).toEqual([]);
  });

  it('names are added and removed', async () => {
    const [image] = await load(store, ociArchive(busyboxImage()));
    const id = image?.id ?? '';
    await store.tag(id, 'localhost/other:1');
    expect(store.resolve('localhost/other:1')?.tags).toEqual(['docker.io/library/busybox:test', 'localhost/other:1']);
    await store.service.removeImage({ image: { image: 'busybox:test' } });
    expect(store.resolve(id)?.tags).toEqual(['localhost/other:1']);
    const changed = busyboxImage('localhost/other:1', { layers: [[{ name: 'changed', content: 'x' }]] });
    await load(store, ociArchive(changed));
    expect(store.resolve('localhost/other:1')?.id).toBe(changed.id);
    expect(store.resolve(id)?.tags).toEqual([]);
    for (const each of store.list()) await store.service.removeImage({ image: { image: each.id } });
    await store.service.removeImage({ image: { image: 'never:was' } });
    expect(store.list()).toEqual([]);
    await store.collectGarbage();
    expect(readdirSync(join(root, 'blobs/sha256'))).toEqual([]);
    expect(readdirSync(join(root, 'layers'))).toEqual([]);
    expect(readdirSync(join(root, 'l'))).toEqual([]);
  });

  it('sees files as a user namespace maps their owners', async () => {
    const [image] = await load(store, ociArchive(webImage()));
    const mapping = [{ containerId: 0, hostId: 200_000, length: 65_536 }];
    const mappings = { uidMappings: mapping, gidMappings: mapping };
    const shifted = await store.snapshots.prepare('shifted', image?.id ?? '', { userNamespace: mappings });
    expect(lstatSync(join(shifted.rootfs, 'bin/busybox')).uid).toBe(200_000);
    expect(lstatSync(shifted.rootfs).uid).toBe(200_000);
    await store.snapshots.remove('shifted');
    if (findProgram('unshare') === undefined) return;
    const holder = spawn('unshare', ['--user', 'sh', '-c', 'echo ready; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      await once(holder.stdout, 'data');
      for (const map of ['uid_map', 'gid_map']) writeFileSync(`/proc/${holder.pid}/${map}`, '0 200000 65536');
      const mapped = await store.snapshots.prepare('mapped', image?.id ?? '', {
        userNamespace: { ...mappings, path: `/proc/${holder.pid}/ns/user` },
      });
      expect(lstatSync(join(mapped.rootfs, 'bin/busybox')).uid).toBe(200_000);
      expect(lstatSync(mapped.rootfs).uid).toBe(200_000);
      expect((await store.snapshots.usage('mapped')).inodes).toBe(1);
      expect(mountsBelow(folder)).toEqual([mapped.rootfs]);
    } finally {
      holder.kill('SIGKILL');
      await once(holder, 'exit');
      await store.snapshots.remove('mapped');
    }
  });

  it('stacks more layers than a page of mount options holds', async () => {
    const layers = Array.from({ length: 100 }, (_, index) => [{ name: `file-${index}`, content: `${index}` }]);
    const [image] = await load(
      store,
      ociArchive(buildImage({ name: 'localhost/deep:1', layers, compression: 'none' })),
    );
    const { rootfs } = await store.snapshots.prepare('deep', image?.id ?? '');
    expect(readdirSync(rootfs)).toHaveLength(100);
    await store.snapshots.remove('deep');
    await store.remove(image?.id ?? '');
  });
});

describe.skipIf(missing !== undefined)('a store whose process is killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'k8ts-crash-'));
  const root = join(folder, 'store');
  /** Beside the native modules that it loads. */
  const outdir = join(import.meta.dirname, '..', 'node_modules', '.cache', `k8ts-image-crash-${process.pid}`);
  afterAll(() => {
    for (const path of [folder, outdir]) rmSync(path, { recursive: true, force: true });
  });

  const rounds = everything ? 50 : 2;
  it(`is whole again, ${rounds} times`, { timeout: everything ? 900_000 : 60_000 }, async () => {
    const archives = [webImage(), busyboxImage()].map((image, index) => {
      const path = join(folder, `${index}.tar`);
      writeFileSync(path, index === 0 ? ociArchive(image) : dockerArchive(image));
      return path;
    });
    // Bundled, as it is shipped: the thread that unpacks has to be found there too.
    await build({ entryPoints: { worker: 'test/image-crash-worker.ts' }, outdir });
    for (let round = 0; round < rounds; round++) {
      const child = spawn(process.execPath, [join(outdir, 'worker.js'), root, ...archives], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [started] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
      expect(String(started)).toBe('ready\n');
      await expect(open(root)).rejects.toThrow(/in use by another process/);
      await new Promise((resolve) => setTimeout(resolve, 100 + ((round * 137) % 700)));
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    // What a crash can leave besides: half a layer, a folder of a snapshot without its record but with a mount.
    mkdirSync(join(root, 'layers/new-1-1/diff'), { recursive: true });
    mkdirSync(join(root, 'snapshots/orphan/rootfs'), { recursive: true });
    mount(folder, join(root, 'snapshots/orphan/rootfs'), { flags: MS.BIND });
    const store = await open(root);
    try {
      for (const image of store.list()) {
        const key = `check-${image.id.slice(7, 19)}`;
        const { rootfs } = await store.snapshots.prepare(key, image.id);
        expect(readFileSync(join(rootfs, 'etc/group'), 'utf8')).toContain('extra');
      }
      for (const { key } of store.snapshots.list()) await store.snapshots.remove(key);
      for (const { id } of store.list()) await store.remove(id);
      await store.collectGarbage();
      expect(mountsBelow(folder)).toEqual([]);
      for (const part of ['layers', 'l', 'snapshots', 'volumes', 'ingest', 'blobs/sha256'])
        expect(readdirSync(join(root, part))).toEqual([]);
      expect(existsSync(join(folder, '0.tar'))).toBe(true);
    } finally {
      await store.close();
    }
  });
});

/** Changes a byte in the middle of an archive. */
function tampered(archive: Buffer): Buffer {
  const copy = Buffer.from(archive);
  const at = Math.floor(copy.length / 2);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}
