/** Waiting in tests, on the machine's clock and on a virtual one. */
export { until } from './until.ts';
