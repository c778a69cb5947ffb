// The GitHub Action: starts a cluster in the background and names its kubeconfig for the steps that follow.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { elevation, input, temporary } from './runner.mjs';

const directory = path.join(temporary, 'cluster');

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `ended with ${status}`}`);
}

/**
 * Hands values to the runner.
 * @param {string} file `GITHUB_ENV`, `GITHUB_OUTPUT` or `GITHUB_STATE`
 * @param {Readonly<Record<string, string>>} values
 */
function tell(file, values) {
  const place = process.env[file];
  if (place === undefined) return;
  for (const [name, value] of Object.entries(values)) fs.appendFileSync(place, `${name}=${value}\n`);
}

function install() {
  const prefix = path.join(temporary, 'program');
  run('npm', ['install', '--no-audit', '--no-fund', '--prefix', prefix, `k8ts@${input('version') || 'latest'}`]);
  return path.join(prefix, 'node_modules', 'k8ts', 'bin', 'k8ts');
}

try {
  const program = input('program') || install();
  fs.mkdirSync(directory, { recursive: true });
  const kubeconfig = path.join(temporary, 'kubeconfig');
  const nodes = input('nodes') || '0';
  const flags = [
    'up',
    '--detach',
    '--data-dir',
    directory,
    '--port',
    '0',
    '--kubeconfig',
    kubeconfig,
    '--nodes',
    nodes,
    '--simulated-nodes',
    input('simulated-nodes') || '1',
    ...input('arguments')
      .split(/\s+/)
      .filter((word) => word !== ''),
  ];
  // Before the start: a cluster that fails to start has a log, too.
  const elevated = nodes !== '0';
  tell('GITHUB_STATE', { program, directory, elevated: String(elevated) });
  // The kubeconfig stays the user's.
  const [command, ...args] = [...elevation(elevated), process.execPath, program, ...flags];
  run(/** @type {string} */ (command), args);
  tell('GITHUB_ENV', { KUBECONFIG: kubeconfig });
  tell('GITHUB_OUTPUT', { kubeconfig, directory });
} catch (error) {
  console.log(`::error::${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
