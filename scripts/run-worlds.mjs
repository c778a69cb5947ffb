// Runs worlds in a process of their own, from a bundle that `simulate-worker.ts` was built to.
import { fork } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';

/** @typedef {import('../src/simulation/index.ts').SimulationReport} SimulationReport */

/**
 * @param {string} built the folder of the bundle
 * @param {{ seeds: readonly number[], world?: object, trace?: boolean, strict?: boolean, shrinkTries?: number }} options
 * @param {{ inspect?: boolean }} [how] with `inspect`, it waits for a debugger
 * @returns {Promise<SimulationReport>}
 */
export function runWorlds(built, options, { inspect = false } = {}) {
  return new Promise((resolve, reject) => {
    // Worlds make much garbage and keep little of it.
    const execArgv = [...process.execArgv, '--max-semi-space-size=32', ...(inspect ? ['--inspect-brk'] : [])];
    const child = fork(path.join(built, 'simulate-worker.js'), [JSON.stringify(options)], { execArgv });
    /** @type {SimulationReport | undefined} */
    let report;
    child.on('message', (message) => (report = /** @type {SimulationReport} */ (message)));
    child.on('exit', (code) => (report ? resolve(report) : reject(new Error(`a worker ended with code ${code}`))));
  });
}
