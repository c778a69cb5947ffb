/**
 * API Priority and Fairness. A FlowSchema classifies each request into a priority level and a flow. A level has a share
 * of the server's seats, borrows seats from levels that need fewer, and queues requests fairly between flows when it
 * has none left. Requests that cannot wait any longer get 429, so that a flood in one flow leaves the others alone.
 */
export { unlimitedFlow, TooBusy, type Admitted } from './flow-control.ts';
export { PriorityAndFairness, type PriorityAndFairnessOptions } from './priority-and-fairness.ts';
export { keepDanglingConditions } from './dangling-conditions.ts';
