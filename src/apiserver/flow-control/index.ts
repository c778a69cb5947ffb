/**
 * API Priority and Fairness: a FlowSchema puts each request into a priority level and a flow; a level has a share of the
 * server's seats, borrows from those that need less, and lets flows take turns when it has to queue. What cannot wait any
 * longer is answered with 429, so that a flood in one flow leaves the others as they are.
 */
export { unlimitedFlow, TooBusy, type Admitted, type FlowControl } from './flow-control.ts';
export { PriorityAndFairness, type PriorityAndFairnessOptions } from './priority-and-fairness.ts';
export { keepDanglingConditions } from './dangling-conditions.ts';
