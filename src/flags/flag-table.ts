/** How a component's flags are declared: one table per component, for parsing and for `--help`. */

/** The types of flag values. Durations are in Go's notation and become milliseconds. */
export interface FlagTypes {
  text: string;
  /** Comma-separated; a repeated flag appends. */
  texts: readonly string[];
  /** One value per occurrence of the flag; commas are not special. */
  repeated: readonly string[];
  switch: boolean;
  whole: number;
  number: number;
  duration: number;
  /** `a=b,c=d`; a repeated flag adds pairs. */
  pairs: Readonly<Record<string, string>>;
  /** Pairs in which a key alone has the empty value: `a=b,c`. */
  settings: Readonly<Record<string, string>>;
}

export type FlagKind = keyof FlagTypes;

export interface FlagDeclaration {
  readonly kind: FlagKind;
  /** One line of help; without it the flag is hidden. */
  readonly summary?: string;
  readonly default?: FlagTypes[FlagKind];
  readonly shorthand?: string;
  /** The flag's section in the help. */
  readonly section?: string;
  /** The allowed values. */
  readonly only?: readonly string[];
  /** The flag is accepted, so that existing command lines work, and has no effect; the text says why. */
  readonly ignored?: string;
  /** The flag is refused, because its feature is missing; the text says why. Values in `only` are accepted. */
  readonly refused?: string;
  /** A file or directory: in a configuration file it is relative to that file. */
  readonly path?: true;
  /** Printed nowhere; a configuration file that has it must be readable by its owner alone. */
  readonly secret?: true;
  /** Not allowed in a configuration file, because it is about one call of the command. */
  readonly commandLineOnly?: true;
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
