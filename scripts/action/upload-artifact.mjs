// Uploads files as an artifact of the run, with GitHub's own client. It is installed when it is needed: most jobs pass.
import { spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { temporary } from './runner.mjs';

const CLIENT = '@actions/artifact';
/** The last major version that Node 20 loads with `require`. */
const CLIENT_VERSION = '2';

/**
 * @param {string} prefix
 * @param {readonly string[]} files All in one folder.
 * @returns {Promise<string>} Its name: jobs of a matrix run at the same time, and names are unique.
 */
export async function uploadArtifact(prefix, files) {
  const { DefaultArtifactClient } = loadClient();
  const name = [prefix, process.env.GITHUB_JOB, crypto.randomBytes(3).toString('hex')].filter(Boolean).join('-');
  await new DefaultArtifactClient().uploadArtifact(name, files, path.dirname(files[0] ?? ''));
  return name;
}

function loadClient() {
  const prefix = path.join(temporary, 'uploader');
  if (!fs.existsSync(path.join(prefix, 'node_modules', CLIENT))) {
    const install = ['install', '--no-audit', '--no-fund', '--prefix', prefix, `${CLIENT}@${CLIENT_VERSION}`];
    const { status, error } = spawnSync('npm', install, { stdio: 'inherit' });
    if (status !== 0) throw new Error(`npm ${install.join(' ')}: ${error?.message ?? `ended with ${status}`}`);
  }
  return createRequire(path.join(prefix, 'package.json'))(CLIENT);
}
