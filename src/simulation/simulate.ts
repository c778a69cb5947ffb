/** Runs worlds of many seeds, counts what they exercised, and shrinks the first that fails to a short story. */
import { checks } from './checks/index.ts';
import type { FaultName } from './faults/index.ts';
import { faults } from './faults/index.ts';
import { describePlanned, drawPlan, type Plan, type PlanOptions } from './plan.ts';
import { runWorld, type RunOptions, type Violation, type WorldResult } from './run-world.ts';
import { shrink } from './shrink.ts';

export interface SimulateOptions extends RunOptions {
  /** A number of seeds, counted from 1, or the seeds themselves; default 50. */
  readonly seeds?: number | readonly (number | string)[];
  readonly world?: PlanOptions;
  /** How many plans are tried to shorten a failing one; default 100. */
  readonly shrinkTries?: number;
  /** Called after each world. */
  readonly onWorld?: (result: WorldResult) => void;
}

export interface SimulationReport {
  readonly worlds: number;
  /** How often each check had something to look at. */
  readonly looked: Readonly<Record<string, number>>;
  readonly struck: Readonly<Partial<Record<FaultName, number>>>;
  readonly done: Readonly<Record<string, number>>;
  readonly failure: SimulationFailure | undefined;
}

export interface SimulationFailure {
  readonly seed: string;
  readonly violation: Violation;
  /** What the worlds were drawn with. */
  readonly world: PlanOptions;
  /** The shortest plan that still fails. */
  readonly plan: Plan;
  /** What happened in it, up to the violation. */
  readonly trace: readonly string[];
  /** Whether the caller gave an operator, work or invariants. */
  readonly isOwn: boolean;
}

const DEFAULT_SEEDS = 50;

/** A world did not hold what it must. The message is the story. */
export class SimulationFailed extends Error {
  readonly code = 'simulation-failed';
  readonly failure: SimulationFailure;

  constructor(failure: SimulationFailure) {
    super(failureText(failure));
    this.name = 'SimulationFailed';
    this.failure = failure;
  }
}

/** Runs worlds; rejects with the shrunk story of the first that fails. */
export async function simulate(options: SimulateOptions = {}): Promise<SimulationReport> {
  const report = await runSeeds(options);
  if (report.failure) throw new SimulationFailed(report.failure);
  return report;
}

/** Stops at the first world that fails, and tells of it in the report. */
export async function runSeeds(options: SimulateOptions = {}): Promise<SimulationReport> {
  const { seeds = DEFAULT_SEEDS, world, onWorld, shrinkTries, ...run } = options;
  const list = typeof seeds === 'number' ? Array.from({ length: seeds }, (_, i) => i + 1) : seeds;
  const report = {
    worlds: 0,
    looked: {} as Record<string, number>,
    struck: {} as Partial<Record<FaultName, number>>,
    done: {} as Record<string, number>,
    failure: undefined as SimulationFailure | undefined,
  };
  for (const seed of list) {
    const result = await runWorld(drawPlan(seed, world, run.work), run);
    report.worlds++;
    addCounts(report.looked, result.looked);
    addCounts(report.struck, result.struck);
    addCounts(report.done, result.done);
    onWorld?.(result);
    if (!result.violation) continue;
    report.failure = await explainFailure(result, { run, world: world ?? {}, tries: shrinkTries });
    break;
  }
  return report;
}

async function explainFailure(
  { plan, violation }: WorldResult,
  { run, world, tries }: { run: RunOptions; world: PlanOptions; tries: number | undefined },
): Promise<SimulationFailure> {
  const { check } = violation!;
  const stillFails = async (candidate: Plan): Promise<boolean> =>
    (await runWorld(candidate, run)).violation?.check === check;
  const shortest = await shrink(plan, { stillFails, ...(tries === undefined ? {} : { tries }) });
  const again = await runWorld(shortest, { ...run, trace: true });
  const isOwn =
    run.operator !== undefined ||
    run.operatorOverHttp !== undefined ||
    run.work !== undefined ||
    run.invariants !== undefined;
  return {
    seed: plan.seed,
    violation: again.violation ?? violation!,
    world,
    plan: shortest,
    trace: again.trace,
    isOwn,
  };
}

function addCounts(
  total: Record<string, number | undefined>,
  more: Readonly<Record<string, number | undefined>>,
): void {
  for (const [name, count = 0] of Object.entries(more)) total[name] = (total[name] ?? 0) + count;
}

const TRACE_LINES = 40;

/** The seed, what does not hold, the shortest story, and what happened last. */
export function failureText(failure: SimulationFailure): string {
  const { seed, violation, plan, trace } = failure;
  return [
    `seed ${seed}: ${violation.check} does not hold: ${violation.message}`,
    `  (${violation.because})`,
    '',
    `the shortest story that still fails, with ${plan.nodes} nodes:`,
    ...plan.events.map(describePlanned),
    '',
    `the last ${Math.min(TRACE_LINES, trace.length)} of ${trace.length} steps:`,
    ...trace.slice(-TRACE_LINES).map((line) => `  ${line}`),
    '',
    `run it again: ${commandOf(failure)}`,
    ...(failure.isOwn ? [] : ['under a debugger: the same with --inspect']),
  ].join('\n');
}

/** Worlds of another size than the default are drawn with the same options again. */
function commandOf({ seed, world, isOwn }: SimulationFailure): string {
  const size = Object.keys(world).length === 0 ? undefined : JSON.stringify(world);
  if (isOwn) return `simulate({ …, seeds: [${JSON.stringify(seed)}]${size ? `, world: ${size}` : ''} })`;
  return `npm run simulate -- --seed ${seed}${size ? ` --world '${size}'` : ''} --trace`;
}

/** Faults and checks that no world exercised: they prove nothing. */
export function unexercised({ looked, struck }: SimulationReport, faultNames = Object.keys(faults)): string[] {
  return [
    ...faultNames.filter((name) => !struck[name as FaultName]).map((name) => `fault ${name}`),
    ...Object.keys(checks)
      .filter((name) => !looked[name])
      .map((name) => `check ${name}`),
  ];
}
