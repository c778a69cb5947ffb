/** The messages between the server and the thread that runs stages. */
import type { Status } from '../../api/generated/meta-v1.ts';
import type { StageInput, StageName, StageOutput } from './stages.ts';

export interface StageQuestion<Name extends StageName = StageName> {
  readonly id: number;
  readonly stage: Name;
  readonly input: StageInput<Name>;
}

export type StageAnswer<Name extends StageName = StageName> =
  | { readonly id: number; readonly output: StageOutput<Name> }
  /** The stage refused the request. */
  | { readonly id: number; readonly refusal: Status }
  /** JSON cannot hold the object (64-bit integers, deep nesting): the server runs the stage itself. */
  | { readonly id: number; readonly unfit: true }
  | { readonly id: number; readonly failure: string };
