// npm test: installs what is missing, dependencies and programs of the system, checks types, lint, import boundaries
// and generated files, and runs the tests. Arguments go to vitest (`npm test -- src/kernel`); `--everything` runs the
// long versions too. The last line counts the tests, with each check as one more test.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ensurePrograms } from './install-packages.mjs';
import { ensureInstalled, root, runNode, toolPath } from './toolchain.mjs';
import { unsteadyReason } from './unsteady-tests.mjs';

const args = process.argv.slice(2);
const everything = args.includes('--everything');
const vitestArgs = args.filter((argument) => argument !== '--everything');

ensureInstalled();
ensurePrograms(everything || process.env['K8TS_EVERYTHING'] === '1' ? 'verify' : 'test');

/** Name, and the Node program that is the check: it passes when it exits with 0. */
const checks = /** @type {[string, string[]][]} */ ([
  // Several threads take half as long again of the processor, which the tests need: each looks at the library's types anew.
  ['types', [toolPath('typescript', 'tsc'), '--noEmit', '--singleThreaded']],
  ['types of the console', [toolPath('typescript', 'tsc'), '--project', 'src/console/pages']],
  ['format', [toolPath('oxfmt'), '--check']],
  ['lint', [path.join(root, 'scripts', 'lint.mjs')]],
  ['import boundaries', [path.join(root, 'scripts', 'check-boundaries.mjs')]],
  ['one home for every meaning', [path.join(root, 'scripts', 'check-meanings.mjs')]],
  ['regular expressions', [path.join(root, 'scripts', 'check-regexps.mjs')]],
  ['exports that nobody imports', [path.join(root, 'scripts', 'check-exports.mjs')]],
  ['texts as keys', [path.join(root, 'scripts', 'check-keys.mjs')]],
  ['generated files', [path.join(root, 'scripts', 'generate.mjs'), '--check']],
]);

// tsc, oxlint, esbuild, kubectl and etcd are written in Go, and collect garbage for much of their time unless they may keep more of it.
process.env['GOGC'] ??= '400';

const totals = { passed: 0, failed: 0, skipped: 0 };
/** @type {string[]} */
const failedChecks = [];
// Tests of whole clusters wait for much of their time. The checks, each of which keeps one core busy, run in these pauses.
const checking = Promise.all(
  checks.map(async ([name, command]) => {
    const startedAt = performance.now();
    const code = await runNode(command, { priority: os.constants.priority.PRIORITY_BELOW_NORMAL });
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)`);
    totals[code === 0 ? 'passed' : 'failed']++;
    if (code !== 0) failedChecks.push(name);
  }),
);

// A test of a whole cluster may fail because other tests use the same machine. Failed files are run once more alone: a defect
// fails again; a file that passes is reported as unsteady, and counts as passed only if unsteady-tests.mjs lists it.
const MAX_RETRIED_FILES = 5;

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-test-'));
/** @type {string[]} */
let unsteady = [];
try {
  const all = await runTests(vitestArgs);
  const again =
    all.failedFiles.length > 0 && all.failedFiles.length <= MAX_RETRIED_FILES && all.failedOutsideTests === 0;
  if (again) {
    console.log(`\nrunning again, alone: ${all.failedFiles.map(relative).join(', ')}`);
    const alone = await runTests(['--maxWorkers=1', ...all.failedFiles]);
    unsteady = all.failedFiles.filter((file) => !alone.failedFiles.includes(file)).map(relative);
    const steady = alone.failed + alone.failedOutsideTests;
    add({ ...all, failed: steady, passed: all.passed + Math.max(0, all.failed - steady) });
  } else {
    add({ ...all, failed: all.failed + all.failedOutsideTests });
  }
} finally {
  fs.rmSync(scratch, { recursive: true, force: true });
}
await checking;

for (const name of failedChecks) console.log(`✗ ${name}: see its output above`);
for (const file of unsteady) {
  const reason = unsteadyReason(file.replaceAll(path.sep, '/'));
  if (reason === undefined) totals.failed++;
  console.log(
    `unsteady: ${file} failed among the others and passed alone (${reason ?? 'not in scripts/unsteady-tests.mjs'})`,
  );
}
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exit(totals.failed === 0 ? 0 : 1);

/** @param {string} file */
function relative(file) {
  return path.relative(root, file);
}

/** @param {{ passed: number, failed: number, skipped: number }} more */
function add(more) {
  totals.passed += more.passed;
  totals.failed += more.failed;
  totals.skipped += more.skipped;
}

/**
 * Vitest's own numbers. A file that could not be loaded, or prepared, has no test that fails, and unhandled errors
 * belong to no test: each still counts as a failure.
 * @param {string[]} extra
 */
async function runTests(extra) {
  const resultsFile = path.join(scratch, 'results.json');
  fs.rmSync(resultsFile, { force: true });
  const code = await runNode(
    [toolPath('vitest'), 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${resultsFile}`, ...extra],
    { environment: everything ? { ...process.env, K8TS_EVERYTHING: '1' } : process.env },
  );
  const numbers = {
    passed: 0,
    failed: 0,
    skipped: 0,
    failedOutsideTests: 0,
    failedFiles: /** @type {string[]} */ ([]),
  };
  if (fs.existsSync(resultsFile)) {
    const results = JSON.parse(fs.readFileSync(resultsFile, 'utf8'));
    numbers.passed = results.numPassedTests;
    numbers.failed = results.numFailedTests;
    numbers.skipped = results.numPendingTests + results.numTodoTests;
    for (const file of results.testResults) {
      if (file.status !== 'failed') continue;
      numbers.failedFiles.push(file.name);
      if (!file.assertionResults.some((/** @type {{ status: string }} */ test) => test.status === 'failed'))
        numbers.failed++;
    }
  }
  if (code !== 0 && numbers.failed === 0) numbers.failedOutsideTests = 1;
  return numbers;
}
