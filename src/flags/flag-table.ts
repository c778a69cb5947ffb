/** How a component's flags are declared: one table a component, from which its command line is parsed and its help is written. */

/** What a flag's text becomes. Durations are in Go's notation and become milliseconds. */
export interface FlagTypes {
  text: string;
  /** A list with commas; given again, it grows. */
  texts: readonly string[];
  /** One value each time it is given; commas mean nothing. */
  repeated: readonly string[];
  switch: boolean;
  whole: number;
  number: number;
  duration: number;
  /** `a=b,c=d`; given again, it grows. */
  pairs: Readonly<Record<string, string>>;
}

export type FlagKind = keyof FlagTypes;

export interface FlagDeclaration {
  readonly kind: FlagKind;
  /** One line of help; a flag without it is left out of the help. */
  readonly summary?: string;
  readonly default?: FlagTypes[FlagKind];
  readonly shorthand?: string;
  /** The heading of the help that it stands under. */
  readonly section?: string;
  /** The only values that it may have, as they are typed. */
  readonly only?: readonly string[];
  /** Taken, so that existing command lines work, though it changes nothing: why. */
  readonly ignored?: string;
  /** Known, and it would change something that is not here: why it is refused. A value of `only` is taken all the same. */
  readonly refused?: string;
}

export type FlagTable = Readonly<Record<string, FlagDeclaration>>;

type ValueOf<D extends FlagDeclaration> = D extends { default: NonNullable<unknown> }
  ? FlagTypes[D['kind']]
  : FlagTypes[D['kind']] | undefined;

export type FlagValues<T extends FlagTable> = { readonly [Name in keyof T]: ValueOf<T[Name]> };

/** A command line that cannot be understood, worded for the person who typed it. */
export class UsageError extends Error {
  override name = 'UsageError';
  readonly code = 'usage';
}
