/**
 * Whole clusters under faults, on virtual time. A seed is a world: a store, two API servers, two controller managers,
 * schedulers and operators with leader election, simulated nodes, a webhook and clients, in one thread. `plan.ts` draws from the seed what
 * clients do (`operations/`) and what goes wrong (`faults/`); `run-world.ts` lets it happen; `checks/` says what must hold
 * meanwhile and at the end. The same seed gives the same world, step by step. `simulate.ts` runs many seeds and shrinks a
 * failing plan to a short story. `world/` has the parts: processes that can be killed, links between them, the store's views.
 */
export { failureText, runSeeds, simulate, SimulationFailed, unexercised } from './simulate.ts';
export type { SimulateOptions, SimulationFailure, SimulationReport } from './simulate.ts';
export { describePlanned, drawPlan, type Plan, type PlanOptions, type Work } from './plan.ts';
export {
  runWorld,
  type Operator,
  type OperatorOverHttp,
  type RunOptions,
  type Violation,
  type WorldResult,
} from './run-world.ts';
export { checks, type Check, type CheckContext, type Verdict } from './checks/index.ts';
export { faults, type FaultName } from './faults/index.ts';
export { operation, operations, type Operation, type OperationName } from './operations/index.ts';
export type { ProcessContext } from './world/processes.ts';
