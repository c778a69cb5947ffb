/**
 * What the scheduler does for speed alone. Each feature is a module with a plain counterpart that makes the same decisions
 * more slowly, and its head names the rows of `npm run bench` that it pays for. All are on by default; speed-options.test.ts
 * runs the scheduler with each of them off.
 */
export interface SpeedOptions {
  /** evaluation/shared-evaluations.ts */
  readonly sharedEvaluations: boolean;
  /** evaluation/tournament-tree.ts */
  readonly tournamentTree: boolean;
  /** cache/node-columns.ts */
  readonly typedColumns: boolean;
  /** event-pacer.ts */
  readonly eventPacer: boolean;
}

export const ALL_SPEED: SpeedOptions = {
  sharedEvaluations: true,
  tournamentTree: true,
  typedColumns: true,
  eventPacer: true,
};
