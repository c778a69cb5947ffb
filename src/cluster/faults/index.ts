/**
 * Fault injection: a test says which requests fail and how. Faults wrap the API server's pipeline, so they hit callers
 * in this process and over the network; the cluster's own client is spared unless the fault says otherwise.
 */
export type { Fault } from './fault.ts';
export { Faults, OWN_CLIENT, type FaultOptions } from './faults.ts';
export type { RequestMatch } from './request-match.ts';
