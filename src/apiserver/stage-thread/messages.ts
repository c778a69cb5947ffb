/** The messages between the server and the thread that runs stages. */
import type { Status } from '../../api/generated/meta-v1.ts';
import type { StageInput, StageName, StageOutput } from './stages.ts';

export interface StageQuestion<Name extends StageName = StageName> {
  readonly id: number;
  readonly stage: Name;
  readonly input: StageInput<Name>;
  /** For a custom resource. */
  readonly custom?: CustomReference;
}

/** A version of a CustomResourceDefinition, by the number that the server gave its spec. */
export interface CustomReference {
  readonly definition: number;
  readonly version: string;
  /** The JSON of the spec, where the thread does not have it. */
  readonly spec?: string;
}

/** The definition has changed or is gone. */
export interface ForgetDefinition {
  readonly forget: number;
}

export type StageAnswer<Name extends StageName = StageName> =
  | { readonly id: number; readonly output: StageOutput<Name> }
  /** The stage refused the request. */
  | { readonly id: number; readonly refusal: Status }
  /** The thread does not have the definition of the custom resource. */
  | { readonly id: number; readonly lacksDefinition: true }
  /** The thread cannot hold the object (very deep nesting): the server runs the stage itself. */
  | { readonly id: number; readonly unfit: true }
  | { readonly id: number; readonly failure: string };
