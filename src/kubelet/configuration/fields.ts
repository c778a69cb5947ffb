/** Declarations of configuration fields: their type and default. */
interface FieldTypes {
  text: string;
  flag: boolean;
  whole: number;
  number: number;
  /** A Go duration in the file, milliseconds in memory. */
  duration: number;
  texts: readonly string[];
  pairs: Readonly<Record<string, string>>;
  flags: Readonly<Record<string, boolean>>;
  durations: Readonly<Record<string, number>>;
  objects: readonly Readonly<Record<string, unknown>>[];
  object: Readonly<Record<string, unknown>>;
}

export interface Field<K extends keyof FieldTypes = keyof FieldTypes, D = FieldTypes[K] | undefined> {
  readonly kind: K;
  readonly default: D;
}

type FieldTable = Readonly<Record<string, Field>>;

export function field<K extends keyof FieldTypes, D extends FieldTypes[K]>(kind: K, value: D): Field<K, FieldTypes[K]>;
export function field<K extends keyof FieldTypes>(kind: K): Field<K, FieldTypes[K] | undefined>;
export function field<K extends keyof FieldTypes>(kind: K, value?: FieldTypes[K]): Field<K, FieldTypes[K] | undefined> {
  return { kind, default: value };
}

export type ValuesOf<T extends FieldTable> = { readonly [Name in keyof T]: T[Name]['default'] };

export function defaultsOf<T extends FieldTable>(table: T): ValuesOf<T> {
  return Object.fromEntries(Object.entries(table).map(([name, { default: value }]) => [name, value])) as ValuesOf<T>;
}
