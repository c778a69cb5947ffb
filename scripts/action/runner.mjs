// What both halves of the GitHub Action have from the runner.
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

export const temporary = path.join(process.env.RUNNER_TEMP ?? os.tmpdir(), 'k8ts');

/** @param {string} name Of an input of action.yml. */
export const input = (name) => (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim();

/**
 * Containers need root.
 * @param {boolean} elevated
 */
export const elevation = (elevated) => (elevated && process.getuid?.() !== 0 ? ['sudo', '--preserve-env=PATH'] : []);
