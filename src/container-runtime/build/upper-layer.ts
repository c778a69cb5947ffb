/** The layer that an overlay's upper directory is: a tar with OCI's whiteouts for what was deleted. */
import fs from 'node:fs';
import path from 'node:path';
import { opaqueAttribute } from '../images/layers/lower-layers.ts';
import { encodeTarEntry, TAR_END, tarPadding, type TarEntryToWrite } from '../images/tar/tar-writer.ts';
import { getAttribute } from '../linux/file-system-calls.ts';
import { deviceNumbers } from '../oci-spec/devices.ts';

const CAPABILITY_ATTRIBUTE = 'security.capability';

/** Empty when nothing was changed. Sockets are left out, as docker does. */
export async function* upperLayer(upper: string): AsyncGenerator<Buffer> {
  let isEmpty = true;
  const links = new Map<string, string>();
  for (const name of walk(upper, '')) {
    const file = path.join(upper, name);
    const stats = fs.lstatSync(file);
    if (stats.isSocket()) continue;
    isEmpty = false;
    const { entry, hasContent } = describe(name, file, stats, links);
    yield encodeTarEntry(entry);
    if (hasContent) {
      for await (const piece of fs.createReadStream(file)) yield piece as Buffer;
      yield tarPadding(stats.size);
    }
    if (stats.isDirectory() && getAttribute(file, opaqueAttribute())?.toString() === 'y')
      yield encodeTarEntry({ name: `${name}/.wh..wh..opq` });
  }
  if (!isEmpty) yield TAR_END;
}

function* walk(root: string, folder: string): Generator<string> {
  for (const child of fs.readdirSync(path.join(root, folder)).sort()) {
    const name = folder === '' ? child : `${folder}/${child}`;
    yield name;
    if (fs.lstatSync(path.join(root, name)).isDirectory()) yield* walk(root, name);
  }
}

function describe(
  name: string,
  file: string,
  stats: fs.Stats,
  links: Map<string, string>,
): { entry: TarEntryToWrite; hasContent: boolean } {
  const common = {
    name,
    mode: stats.mode & 0o7777,
    uid: stats.uid,
    gid: stats.gid,
    modified: Math.floor(stats.mtimeMs / 1000),
  };
  const without = (entry: TarEntryToWrite): { entry: TarEntryToWrite; hasContent: boolean } => ({
    entry,
    hasContent: false,
  });
  if (stats.isDirectory()) return without({ ...common, name: `${name}/`, type: 'directory' });
  if (stats.isSymbolicLink()) return without({ ...common, type: 'symlink', target: fs.readlinkSync(file) });
  if (stats.isCharacterDevice() && stats.rdev === 0)
    return without({ name: path.posix.join(path.posix.dirname(name), `.wh.${path.posix.basename(name)}`) });
  if (stats.isFIFO()) return without({ ...common, type: 'fifo' });
  if (stats.isCharacterDevice() || stats.isBlockDevice())
    return without({
      ...common,
      type: stats.isBlockDevice() ? 'block-device' : 'character-device',
      device: deviceNumbers(stats.rdev),
    });
  const inode = `${stats.dev}:${stats.ino}`;
  const first = stats.nlink > 1 ? links.get(inode) : undefined;
  if (first !== undefined) return without({ ...common, type: 'link', target: first });
  if (stats.nlink > 1) links.set(inode, name);
  const capability = getAttribute(file, CAPABILITY_ATTRIBUTE);
  const attributes = capability ? { attributes: new Map([[CAPABILITY_ATTRIBUTE, capability]]) } : {};
  return { entry: { ...common, type: 'file', size: stats.size, ...attributes }, hasContent: true };
}
