/** Runs the worlds of some seeds and reports to `simulate.mjs`. */
import process from 'node:process';
import { failureText, simulate, unexercised } from '../src/simulation/index.ts';

const { seeds, trace } = JSON.parse(process.argv[2] ?? '{}') as { seeds: number[]; trace: boolean };
const report = await simulate({
  seeds,
  onWorld: (world) => {
    if (trace) for (const line of world.trace) console.log(line);
  },
  ...(trace ? { trace } : {}),
});
process.send?.({
  ...report,
  unexercised: unexercised(report),
  ...(report.failure ? { failureText: failureText(report.failure) } : {}),
});
process.disconnect?.();
process.exit(0);
