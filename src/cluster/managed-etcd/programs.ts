/** The programs of etcd: the server, and the one that makes a member's data from a snapshot. */
import fs from 'node:fs';
import path from 'node:path';

class EtcdMissing extends Error {
  override readonly name = 'EtcdMissing';
  readonly code = 'etcd-missing';
}

/** Where the server is; fails by name. */
export function findEtcd(binary: string | undefined): string {
  if (binary !== undefined) {
    if (!isProgram(binary)) throw new EtcdMissing(`there is no program ${binary}`);
    return path.resolve(binary);
  }
  const found = inPath('etcd');
  if (found === undefined)
    throw new EtcdMissing(
      'etcd is not installed (Debian package etcd-server); install it, or name one with --etcd-binary',
    );
  return found;
}

/** etcdutl, or the etcdctl of releases before 3.6; beside the server, or in the PATH. */
export function findRestoreTool(etcd: string): string {
  const beside = (name: string): string[] => [path.join(path.dirname(etcd), name)].filter(isProgram);
  const found = [...beside('etcdutl'), ...beside('etcdctl'), inPath('etcdutl'), inPath('etcdctl')].find(
    (file) => file !== undefined,
  );
  if (found === undefined)
    throw new EtcdMissing(`neither etcdutl nor etcdctl is installed (Debian package etcd-client), nor beside ${etcd}`);
  return found;
}

const inPath = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((directory) => path.join(directory, name))
    .find(isProgram);

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
