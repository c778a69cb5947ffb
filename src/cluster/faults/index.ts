/**
 * Failures to order: a test says which requests fail and how, and the rest of the cluster lives with it. A fault stands
 * around the whole API server, so callers in this process and over the network meet it alike; the cluster's own client
 * does not, unless the fault says so.
 */
export type { Fault } from './fault.ts';
export { Faults, OWN_CLIENT, type FaultOptions } from './faults.ts';
export type { RequestMatch } from './request-match.ts';
