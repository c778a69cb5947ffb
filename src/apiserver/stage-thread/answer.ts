import { isStatusError } from '../../machinery/errors/index.ts';
import type { CustomKind } from '../custom-kind/custom-kinds.ts';
import type { Definitions } from './definitions.ts';
import type { StageAnswer, StageQuestion } from './messages.ts';
import { type StageInput, type StageName, stages } from './stages.ts';

/** Runs the stage that the question names. */
export function answerTo<Name extends StageName>(
  { id, stage, input, custom }: StageQuestion<Name>,
  definitions: Definitions,
): StageAnswer<Name> {
  const run = stages[stage] as (given: StageInput<Name>, custom: CustomKind | undefined) => never;
  try {
    const kind = custom && definitions.find(custom);
    if (custom && !kind) return { id, lacksDefinition: true };
    return { id, output: run(input, kind) };
  } catch (error) {
    if (isStatusError(error)) return { id, refusal: error.status };
    // JSON.stringify refuses deep nesting.
    if (error instanceof RangeError) return { id, unfit: true };
    return { id, failure: (error as Error).message };
  }
}
