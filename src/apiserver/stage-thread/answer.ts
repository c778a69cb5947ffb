import { isStatusError } from '../../machinery/errors/index.ts';
import type { StageAnswer, StageQuestion } from './messages.ts';
import { type StageInput, type StageName, stages } from './stages.ts';

/** Runs the stage that the question names. */
export function answerTo<Name extends StageName>({ id, stage, input }: StageQuestion<Name>): StageAnswer<Name> {
  const run = stages[stage] as (given: StageInput<Name>) => never;
  try {
    return { id, output: run(input) };
  } catch (error) {
    if (isStatusError(error)) return { id, refusal: error.status };
    // JSON.stringify refuses bigints and deep nesting.
    if (error instanceof TypeError || error instanceof RangeError) return { id, unfit: true };
    return { id, failure: (error as Error).message };
  }
}
