// Fills in where the package comes from (repository, homepage, bugs) while npm packs it: `prepack` writes, `postpack` restores.
// The address is that of the repository whose checkout is packed, as its CI or its `origin` remote tells: a fork publishes its own,
// and `npm publish --provenance` compares it with the repository of the CI job.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { root } from './toolchain.mjs';

/**
 * @param {string | undefined} remote as git knows it: `https://HOST/OWNER/NAME.git`, `git@HOST:OWNER/NAME.git`, `ssh://git@HOST/OWNER/NAME`
 * @returns the fields of package.json; undefined for a remote that is no address on the web, as a directory
 */
export function addressFields(remote) {
  const [scp] = /^[^@/]+@[^:/]+:/.exec(remote ?? '') ?? [];
  const address = scp === undefined ? remote : `ssh://${scp.slice(0, -1)}/${remote?.slice(scp.length)}`;
  if (!address || !URL.canParse(address)) return undefined;
  const { protocol, hostname, pathname } = new URL(address);
  if (!['https:', 'ssh:'].includes(protocol)) return undefined;
  const web = `https://${hostname}/${pathname.slice(1).replace(/\.git$/, '')}`;
  return {
    repository: { type: 'git', url: `git+${web}.git` },
    homepage: `${web}#readme`,
    bugs: { url: `${web}/issues` },
  };
}

/** CI may check out without a remote, or with one of its own.
 * @param {string} directory
 */
function remoteOf(directory) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, CI_PROJECT_URL: url } = process.env;
  if (server && name) return `${server}/${name}`;
  if (url) return url;
  const { stdout } = spawnSync('git', ['-C', directory, 'remote', 'get-url', 'origin'], { encoding: 'utf8' });
  return stdout?.trim();
}

/**
 * @param {string} directory of the package
 * @param {boolean} isPacked npm has packed it: package.json becomes what it was
 */
export function setAddress(directory, isPacked) {
  const file = path.join(directory, 'package.json');
  const saved = path.join(directory, 'node_modules', '.cache', 'package.json');
  if (isPacked) {
    if (fs.existsSync(saved)) fs.renameSync(saved, file);
    return;
  }
  const fields = addressFields(remoteOf(directory));
  if (!fields) {
    console.error(
      'The package gets no repository, homepage and bugs: this checkout has no remote `origin` on the web.',
    );
    return;
  }
  fs.mkdirSync(path.dirname(saved), { recursive: true });
  fs.copyFileSync(file, saved);
  const { name, version, description, ...rest } = JSON.parse(fs.readFileSync(saved, 'utf8'));
  fs.writeFileSync(file, `${JSON.stringify({ name, version, description, ...fields, ...rest }, undefined, 2)}\n`);
}

if (process.argv[1] === import.meta.filename) setAddress(root, process.argv[2] === 'restore');
