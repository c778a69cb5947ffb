// npm run lint: oxlint with types, and for every rule that fired the reason why we have it.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { ensureInstalled, fail, root, toolPath } from './toolchain.mjs';

/** Why a rule is there, by its name as .oxlintrc.json spells it. */
const REASONS = {
  'typescript/no-floating-promises':
    'a promise that nobody awaits loses its error and outlives the component that started it; await it, give it to a RunGroup, or write void where it is tracked already and cannot reject',
  'typescript/no-misused-promises':
    'a promise where a value or a void callback is expected is always truthy and never awaited',
  'typescript/await-thenable': 'awaiting a plain value hides that nothing is waited for',
  'typescript/no-explicit-any': '`any` turns the checker off for everything it touches; take unknown and narrow it',
  'typescript/return-await': 'inside try, a returned promise escapes the catch and finally around it',
  'typescript/only-throw-error': 'only errors carry a stack and a class that callers can tell apart',
  'import/no-cycle':
    'modules that import each other, types counted, have no order of initialisation and cannot be read one at a time; move what both need into a third',
  'eslint/no-console': 'components log through ctx.logger, which redacts secrets; only the cli prints',
  'eslint/eqeqeq': '== converts before it compares',
};

ensureInstalled();
const targets = ['src', 'test', 'bench', 'scripts'];
const { stdout, stderr, status, error } = spawnSync(
  process.execPath,
  [toolPath('oxlint'), '--type-aware', '--format=json', ...targets, ...process.argv.slice(2)],
  { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 },
);
if (error !== undefined) fail(`oxlint could not be started: ${error.message}`);

/** @type {{ message: string, code?: string, severity: string, filename: string, labels?: { span?: { line: number, column: number } }[] }[]} */
let diagnostics;
try {
  diagnostics = JSON.parse(stdout).diagnostics;
} catch {
  fail(`oxlint failed:\n${stderr}${stdout}`);
}

const fired = new Set();
for (const { message, code = '', filename, labels } of diagnostics) {
  const rule = code.replace(/^eslint-plugin-/, '').replace(/\((.*)\)$/, '/$1');
  const name = rule.startsWith('typescript-eslint/') ? rule.replace('typescript-eslint/', 'typescript/') : rule;
  fired.add(name);
  const at = labels?.[0]?.span;
  console.error(`${filename}${at ? `:${at.line}:${at.column}` : ''}  ${name}: ${message}`);
}
for (const [rule, reason] of Object.entries(REASONS)) {
  if (fired.has(rule)) console.error(`why ${rule}: ${reason}.`);
}
if (status !== 0) fail(`${diagnostics.length} lint findings`);
