// What every script needs: where the project is, its installed dependencies, and running one of its tools.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

export const root = path.join(import.meta.dirname, '..');

const MINIMUM_NODE = [20, 19];

/** Installs the dependencies exactly as locked unless they are. */
export function ensureInstalled() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [minimumMajor = 0, minimumMinor = 0] = MINIMUM_NODE;
  if (major < minimumMajor || (major === minimumMajor && minor < minimumMinor)) {
    fail(`k8ts needs Node ${MINIMUM_NODE.join('.')} or newer; this is ${process.versions.node}.`);
  }
  // Installing would empty what the link leads to, and somebody else works with that.
  if (fs.lstatSync(path.join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return;
  if (isInstalled(readLock('package-lock.json'), readLock('node_modules/.package-lock.json'))) return;
  console.log('Installing dependencies (npm ci)…');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status, error } = spawnSync(npm, ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) fail(`npm ci failed${error ? `: ${error.message}` : ''}; see its output above.`);
}

/** @typedef {{ packages?: Record<string, { version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }> }} Lock */

/**
 * Whether npm has installed what is locked. Times do not tell: a checkout makes the lockfile newer without changing it, and
 * `npm ci` first removes what running tests use. Optional packages are for other platforms when they are missing.
 * @param {Lock} locked
 * @param {Lock} installed npm's record of what it has installed
 */
export function isInstalled(locked, installed) {
  return Object.entries(locked.packages ?? {}).every(([folder, wanted]) => {
    if (folder === '') return installed.packages !== undefined;
    const found = installed.packages?.[folder];
    if (found === undefined) return wanted.optional === true || wanted.devOptional === true;
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

/**
 * @param {string} file
 * @returns {Lock} empty when there is no such file
 */
function readLock(file) {
  try {
    return JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'));
  } catch {
    return {};
  }
}

/**
 * The JavaScript file behind a tool's command: started with this very Node, on every platform, without a shell.
 * @param {string} packageName
 * @param {string} [command]
 */
export function toolPath(packageName, command = packageName) {
  const directory = path.join(root, 'node_modules', packageName);
  const { bin } = JSON.parse(fs.readFileSync(path.join(directory, 'package.json'), 'utf8'));
  return path.join(directory, typeof bin === 'string' ? bin : bin[command]);
}

/**
 * Runs a Node program with the terminal of this one; resolves to its exit code. An interrupt reaches it and this
 * process waits for its end.
 * @param {string[]} args
 * @param {{ environment?: NodeJS.ProcessEnv, priority?: number }} [options]
 * @returns {Promise<number>}
 */
export function runNode(args, { environment = process.env, priority } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: environment });
    if (priority !== undefined && child.pid !== undefined) os.setPriority(child.pid, priority);
    addChild(child);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      removeChild(child);
      resolve(code ?? (signal === null ? 1 : 128));
    });
  });
}

/** What `runNode` runs now. They share three listeners: `npm test` runs a dozen programs at once. @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set();

const forward = (/** @type {NodeJS.Signals} */ signal) => children.forEach((child) => child.kill(signal));
/** The terminal sends an interrupt to the whole group: the children have it already. */
const wait = () => {};

/** @param {import('node:child_process').ChildProcess} child */
function addChild(child) {
  if (children.size === 0) process.on('SIGTERM', forward).on('SIGHUP', forward).on('SIGINT', wait);
  children.add(child);
}

/** @param {import('node:child_process').ChildProcess} child */
function removeChild(child) {
  children.delete(child);
  if (children.size === 0) process.off('SIGTERM', forward).off('SIGHUP', forward).off('SIGINT', wait);
}

/**
 * @param {string} file
 * @returns {number} milliseconds since the epoch, 0 when there is no such file
 */
export function modifiedAt(file) {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * The newest modification below a directory.
 * @param {string} directory
 * @returns {number}
 */
export function newestIn(directory) {
  let newest = 0;
  for (const entry of fs.readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) newest = Math.max(newest, modifiedAt(path.join(entry.parentPath, entry.name)));
  }
  return newest;
}

/**
 * @param {string} message
 * @returns {never}
 */
export function fail(message) {
  console.error(message);
  process.exit(1);
}
