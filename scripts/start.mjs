// npm start: installs when needed, builds when the sources are newer than the build, and runs `k8ts up` with the flags
// given after `--`.
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { ensureInstalled, fail, modifiedAt, newestIn, root, runNode } from './toolchain.mjs';

ensureInstalled();

const source = path.join(root, 'src');
const program = path.join(root, 'dist', 'k8ts.js');
if (!fs.existsSync(path.join(source, 'cli', 'index.ts'))) fail(whatThereIs());

if (modifiedAt(program) < newestIn(source)) {
  const { build } = await import('./build.mjs');
  await build();
}
process.exit(await runNode(['--enable-source-maps', program, 'up', ...process.argv.slice(2)]));

/** Without a command line there is no cluster to start: says so, and lists the parts that exist. */
function whatThereIs() {
  const folders = fs
    .readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && fs.existsSync(path.join(source, entry.name, 'index.ts')));
  const parts = folders.map((entry) => {
    const text = fs.readFileSync(path.join(source, entry.name, 'index.ts'), 'utf8');
    const opening = /^\/\*\*([\s\S]*?)(?:\n\s*\*\s*\n|\*\/)/.exec(text)?.[1] ?? '';
    const sentence = opening.replace(/\n\s*\*\s?/g, ' ').trim().split(/(?<=\.)\s/)[0] ?? '';
    return `  ${`src/${entry.name}`.padEnd(24)} ${sentence}`;
  });
  return [
    'There is no cluster to start yet: src/cli, which holds `k8ts up`, does not exist.',
    'These parts exist and are tested (`npm test`):',
    ...parts,
  ].join('\n');
}
