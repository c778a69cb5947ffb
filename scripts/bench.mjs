// npm run bench: runs every module of bench/ in a process of its own and prints what it measured.
//   npm run bench -- --filter machinery --against other.kubeconfig --duration 2000
import { fork } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { ensureInstalled, root } from './toolchain.mjs';

/** @typedef {import('../bench/harness.ts').Row} Row */

const { values } = parseArgs({
  options: {
    filter: { type: 'string' },
    against: { type: 'string' },
    duration: { type: 'string', default: '1000' },
    json: { type: 'boolean' },
  },
});
ensureInstalled();

const directory = path.join(root, 'bench');
/** Measured in the process that runs the module, and therefore in the form in which the package is published. */
const IN_PROCESS = ['cluster-scale', 'glass', 'pod-budget', 'scheduler', 'virtual-time'];
const built = path.join(root, 'node_modules', '.cache', 'k8ts-bench-modules', String(process.pid));
if (IN_PROCESS.some((name) => values.filter === undefined || name.includes(values.filter))) {
  await build({
    entryPoints: {
      'bench-module': 'scripts/bench-module.ts',
      ...Object.fromEntries(IN_PROCESS.map((name) => [name, `bench/${name}.ts`])),
    },
    outdir: built,
  });
}
const options = JSON.stringify({
  filter: values.filter,
  against: values.against && path.resolve(values.against),
  durationMs: Number(values.duration),
});
let failures = 0;
/** @type {({ module: string } & Row)[]} */
const all = [];
for (const file of fs
  .readdirSync(directory)
  .filter((name) => name.endsWith('.ts'))
  .sort()) {
  const { name, rows, code } = await runModule(path.join(directory, file));
  if (code !== 0) {
    failures++;
    console.error(`✗ bench/${file} ended with code ${code}`);
  }
  if (rows === undefined) continue;
  all.push(...rows.map((row) => ({ module: name, ...row })));
  if (!values.json) print(name, rows);
}
fs.rmSync(built, { recursive: true, force: true });
if (values.json) console.log(JSON.stringify(all, null, 2));
process.exit(failures === 0 ? 0 : 1);

/**
 * @param {string} file
 * @returns {Promise<{ name: string, rows?: Row[], code: number }>}
 */
function runModule(file) {
  return new Promise((resolve, reject) => {
    const name = path.basename(file, '.ts');
    const isBuilt = fs.existsSync(path.join(built, `${name}.js`));
    const child = fork(
      isBuilt ? path.join(built, 'bench-module.js') : path.join(root, 'scripts', 'bench-module.ts'),
      [isBuilt ? path.join(built, `${name}.js`) : file, options],
      {
        cwd: root,
        execArgv: [...(isBuilt ? [] : ['--import', 'tsx']), '--expose-gc'],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      },
    );
    /** @type {{ name: string, rows?: Row[] }} */
    let result = { name };
    child.on('message', (message) => {
      result = { ...result, .../** @type {object} */ (message) };
    });
    child.on('error', reject);
    child.on('exit', (code) => resolve({ ...result, code: code ?? 1 }));
  });
}

/**
 * @param {string} name
 * @param {Row[]} rows
 */
function print(name, rows) {
  console.log(`\n${name}`);
  const table = rows.map((row) => [
    row.work,
    `${number(row.value)} ${row.unit}`,
    row.against === undefined
      ? ''
      : `other: ${number(row.against)} ${row.unit}, ratio ${(row.value / row.against).toFixed(2)}`,
    owed(row),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((cells) => (cells[column] ?? '').length)));
  for (const cells of table)
    console.log(
      `  ${cells
        .map((cell, i) => (i === 1 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
        .join('  ')
        .trimEnd()}`,
    );
}

/** @param {Row} row */
function owed({ value, atLeast, atMost, unit }) {
  if (atLeast !== undefined) return `${value >= atLeast ? '✓' : '✗'} owed ≥ ${number(atLeast)} ${unit}`;
  if (atMost !== undefined) return `${value <= atMost ? '✓' : '✗'} owed ≤ ${number(atMost)} ${unit}`;
  return '';
}

/** @param {number} value */
function number(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}
