/** Waiting in tests, on the machine's clock and on a virtual one. */
export { until, type UntilOptions } from './until.ts';
