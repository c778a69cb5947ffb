// The GitHub Action's end: keeps log and traces of a failed job, and stops the cluster.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { elevation, input, temporary } from './runner.mjs';
import { uploadArtifact } from './upload-artifact.mjs';

const { STATE_program: program, STATE_directory: directory, STATE_elevated: elevated } = process.env;
const MAX_OUTPUT_BYTES = 512 * 2 ** 20;

if (program && directory) {
  const k8ts = [process.execPath, program];
  const failed = input('job-status') !== 'success';
  const evidence = failed ? collect(k8ts, directory) : [];
  run([...k8ts, 'down', '--data-dir', directory], { stdio: 'inherit' });
  if (evidence.length > 0 && input('artifact')) await upload(evidence);
}

/**
 * The log, which is also shown, and the traces as text and as OpenTelemetry has them. A cluster that did not start has no traces.
 * @param {readonly string[]} k8ts
 * @param {string} directory
 * @returns {string[]} The files.
 */
function collect(k8ts, directory) {
  const trace = [...k8ts, 'trace', '--all', '--data-dir', directory];
  const files = keep({
    'k8ts.log': ['cat', path.join(directory, 'k8ts.log')],
    'traces.txt': trace,
    'traces.otlp.json': [...trace, '-o', 'otlp'],
  });
  const log = files.find((file) => path.basename(file) === 'k8ts.log');
  if (log) console.log(`::group::k8ts.log\n${fs.readFileSync(log, 'utf8')}\n::endgroup::`);
  return files;
}

/** @param {Readonly<Record<string, readonly string[]>>} commands What prints each file. */
function keep(commands) {
  const folder = path.join(temporary, 'artifact');
  fs.mkdirSync(folder, { recursive: true });
  return Object.entries(commands).flatMap(([name, command]) => {
    const { status, stdout, stderr } = run(command, { stdio: 'pipe' });
    if (status !== 0) {
      console.log(`no ${name}: ${stderr}`.trim());
      return [];
    }
    const file = path.join(folder, name);
    fs.writeFileSync(file, stdout);
    return [file];
  });
}

/** @param {readonly string[]} files */
async function upload(files) {
  try {
    const name = await uploadArtifact(input('artifact'), files);
    console.log(`the artifact ${name} has ${files.map((file) => path.basename(file)).join(', ')}`);
  } catch (error) {
    console.log(`::warning::no artifact was uploaded: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * @param {readonly string[]} command
 * @param {{ stdio: 'inherit' | 'pipe' }} options
 */
function run(command, { stdio }) {
  const [name = '', ...args] = [...elevation(elevated === 'true'), ...command];
  return spawnSync(name, args, { stdio, encoding: 'utf8', maxBuffer: MAX_OUTPUT_BYTES });
}
