// The GitHub Action's end: stops the cluster, and shows its log when a step has failed.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const { STATE_program: program, STATE_directory: directory, STATE_elevated: elevated } = process.env;

if (program && directory) {
  const log = path.join(directory, 'k8ts.log');
  if (fs.existsSync(log)) {
    // The runner tells an action's end nothing of the job: who looks for a failure opens the group.
    console.log(`::group::k8ts.log\n${fs.readFileSync(log, 'utf8')}\n::endgroup::`);
  }
  const command = [
    ...(elevated === 'true' && process.getuid?.() !== 0 ? ['sudo', '--preserve-env=PATH'] : []),
    process.execPath,
    program,
    'down',
    '--data-dir',
    directory,
  ];
  spawnSync(/** @type {string} */ (command[0]), command.slice(1), { stdio: 'inherit' });
}
