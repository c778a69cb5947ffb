// npm start: installs what is missing, dependencies and programs of the system, builds when the sources are newer than
// the build, and runs `k8ts up` with the flags given after `--`.
import path from 'node:path';
import process from 'node:process';
import { endWithNpm } from './end-with-npm.mjs';
import { ensurePrograms, startsContainers } from './install-packages.mjs';
import { ensureInstalled, modifiedAt, newestIn, root, runNode } from './toolchain.mjs';

const program = path.join(root, 'dist', 'k8ts.js');

ensureInstalled();
if (startsContainers(process.argv.slice(2))) ensurePrograms('start');
const newestInput = Math.max(newestIn(path.join(root, 'src')), modifiedAt(path.join(root, 'package-lock.json')));
if (modifiedAt(program) < newestInput) {
  const { build, warmUp } = await import('./build.mjs');
  console.log('Building…');
  await build();
  await warmUp();
}
endWithNpm();
process.exit(await runNode([program, 'up', ...process.argv.slice(2)]));
