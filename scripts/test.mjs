// npm test: installs when needed, checks types, lint, import boundaries and generated files, then runs the tests.
// Arguments go to vitest (`npm test -- src/kernel`); `--everything` runs the long versions too. The last line counts
// the tests, with each check as one more test.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { ensureInstalled, root, runNode, toolPath } from './toolchain.mjs';

const args = process.argv.slice(2);
const everything = args.includes('--everything');
const vitestArgs = args.filter((argument) => argument !== '--everything');

ensureInstalled();

/** Name, and the Node program that is the check: it passes when it exits with 0. */
const checks = /** @type {[string, string[]][]} */ ([
  ['types', [toolPath('typescript', 'tsc'), '--noEmit']],
  ['lint', [path.join(root, 'scripts', 'lint.mjs')]],
  ['import boundaries', [path.join(root, 'scripts', 'check-boundaries.mjs')]],
  ['generated files', [path.join(root, 'scripts', 'generate.mjs'), '--check']],
]);

const totals = { passed: 0, failed: 0, skipped: 0 };
for (const [name, command] of checks) {
  const startedAt = performance.now();
  const code = await runNode(command);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)`);
  totals[code === 0 ? 'passed' : 'failed']++;
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-test-'));
const resultsFile = path.join(scratch, 'results.json');
try {
  const code = await runNode(
    [toolPath('vitest'), 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${resultsFile}`, ...vitestArgs],
    everything ? { ...process.env, K8TS_EVERYTHING: '1' } : process.env,
  );
  count(code);
} finally {
  fs.rmSync(scratch, { recursive: true, force: true });
}

const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exit(totals.failed === 0 ? 0 : 1);

/**
 * Adds vitest's own numbers. A file that could not be loaded has no tests to fail, and unhandled errors belong to no
 * test: each still counts as a failure.
 * @param {number} code vitest's exit code
 */
function count(code) {
  const failedBefore = totals.failed;
  if (fs.existsSync(resultsFile)) {
    const results = JSON.parse(fs.readFileSync(resultsFile, 'utf8'));
    totals.passed += results.numPassedTests;
    totals.failed += results.numFailedTests;
    totals.skipped += results.numPendingTests + results.numTodoTests;
    for (const file of results.testResults) {
      if (file.status === 'failed' && file.assertionResults.length === 0) totals.failed++;
    }
  }
  if (code !== 0 && totals.failed === failedBefore) totals.failed++;
}
