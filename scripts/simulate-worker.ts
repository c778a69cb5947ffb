/** Runs the worlds of some seeds and reports to `simulate.mjs`. */
import process from 'node:process';
import { failureText, runSeeds, unexercised, type PlanOptions } from '../src/simulation/index.ts';

interface WorkerOptions {
  readonly seeds: readonly number[];
  readonly trace?: boolean;
  readonly strict?: boolean;
  readonly world?: PlanOptions;
  readonly shrinkTries?: number;
}

const { trace = false, ...options } = JSON.parse(process.argv[2] ?? '{}') as WorkerOptions;
const report = await runSeeds({
  ...options,
  onWorld: (world) => {
    if (trace) for (const line of world.trace) console.log(line);
  },
  ...(trace ? { trace } : {}),
});
const message = {
  ...report,
  unexercised: unexercised(report),
  ...(report.failure ? { failureText: failureText(report.failure) } : {}),
};
// A long story takes more than one turn to be sent.
if (process.send) await new Promise((resolve) => process.send!(message, resolve));
process.exit(0);
