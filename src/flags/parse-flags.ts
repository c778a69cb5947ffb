import { nearest } from '../base/index.ts';
import {
  UsageError,
  type FlagDeclaration,
  type FlagTable,
  type FlagTypes,
  type FlagValues,
  type FlagKind,
} from './flag-table.ts';
import { parseFlagValue } from './flag-values.ts';

export interface ParsedFlags<T extends FlagTable> {
  /** The given values and defaults. */
  readonly values: FlagValues<T>;
  /** Named on the command line or in the configuration file. */
  readonly given: ReadonlySet<string>;
  readonly positional: readonly string[];
  /** Warnings about flags that have no effect. */
  readonly warnings: readonly string[];
  /** `--help` or `-h` was given; nothing else was checked. */
  readonly help: boolean;
}

/** A value of a configuration file. */
export interface FileValue {
  readonly value: FlagTypes[FlagKind];
  readonly line: number;
}

interface ParseFlagsOptions {
  /** Whether positional arguments are allowed; default false. */
  readonly positional?: boolean;
  /** Values of a configuration file, by flag; flags win over them. */
  readonly fileValues?: ReadonlyMap<string, FileValue>;
}

type Value = FlagTypes[FlagKind];

interface Given {
  readonly name: string;
  readonly text: string | undefined;
}

/** Parses `--name value`, `--name=value`, `--switch`, `--switch=false`, `-v 3`; `--` ends the flags. */
export function parseFlags<const T extends FlagTable>(
  argv: readonly string[],
  table: T,
  options: ParseFlagsOptions = {},
): ParsedFlags<T> {
  const { flags, positional, help } = split(argv, table);
  const values: Record<string, Value> = {};
  const given = new Set<string>();
  const warnings: string[] = [];
  if (!help) {
    for (const flag of flags) take(flag, declared(table, flag.name), { values, given, warnings });
    if (!options.positional && positional.length > 0)
      throw new UsageError(`unexpected argument ${JSON.stringify(positional[0])}`);
  }
  for (const [name, { value }] of options.fileValues ?? []) {
    if (given.has(name)) continue;
    values[name] = value;
    given.add(name);
  }
  for (const [name, declaration] of Object.entries(table)) {
    if (declaration.default !== undefined) values[name] ??= declaration.default;
  }
  // parseFlagValue and the defaults guarantee that every value has its declared type.
  return { values: values as FlagValues<T>, given, positional, warnings, help };
}

interface Taken {
  readonly values: Record<string, Value>;
  readonly given: Set<string>;
  readonly warnings: string[];
}

function take({ name, text }: Given, declaration: FlagDeclaration, { values, given, warnings }: Taken): void {
  const { kind, ignored } = declaration;
  if (text === undefined && kind !== 'switch') throw new UsageError(`flag needs an argument: --${name}`);
  const typed = text ?? 'true';
  const value = parseFlagValue(name, kind, typed);
  checkAllowed(name, declaration, typed);
  if (ignored !== undefined) warnings.push(`--${name} has no effect: ${ignored}`);
  values[name] = given.has(name) ? joined(values[name], value) : value;
  given.add(name);
}

/** Fails for values that the declaration does not allow, and for flags of missing features. */
export function checkAllowed(name: string, { only, refused }: FlagDeclaration, typed: string): void {
  const allowed = only?.includes(typed) ?? false;
  if (refused !== undefined && !allowed)
    throw new UsageError(`--${name}${only ? `=${typed}` : ''} is not supported: ${refused}`);
  if (only && !allowed)
    throw new UsageError(
      `invalid argument ${JSON.stringify(typed)} for "--${name}" flag: it must be ${only.join(' or ')}`,
    );
}

/** A repeated flag: lists and pairs grow, of anything else the last value counts. */
function joined(before: Value | undefined, value: Value): Value {
  if (Array.isArray(before) && Array.isArray(value))
    return [...(before as readonly string[]), ...(value as readonly string[])];
  if (isPairs(before) && isPairs(value)) return { ...before, ...value };
  return value;
}

const isPairs = (value: Value | undefined): value is Readonly<Record<string, string>> =>
  typeof value === 'object' && !Array.isArray(value);

function declared(table: FlagTable, name: string): FlagDeclaration {
  const declaration = Object.hasOwn(table, name) ? table[name] : undefined;
  if (declaration) return declaration;
  const near = nearest(name, Object.keys(table));
  throw new UsageError(`unknown flag: --${name}${near === undefined ? '' : `; did you mean --${near}?`}`);
}

/** Not `-`, which stands for the standard input, nor an arrow, as in `why connection pod/a '->' service/b:80`. */
const FLAG = /^-[\w-]/;

function split(argv: readonly string[], table: FlagTable): { flags: Given[]; positional: string[]; help: boolean } {
  const shorthands = new Map(
    Object.entries(table).flatMap(([name, { shorthand }]) =>
      shorthand === undefined ? [] : [[shorthand, name] as const],
    ),
  );
  const flags: Given[] = [];
  const positional: string[] = [];
  let help = false;
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === '--') {
      positional.push(...argv.slice(i + 1));
      break;
    }
    if (!FLAG.test(word)) {
      positional.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const bare = (equals < 0 ? word : word.slice(0, equals)).replace(/^--?/, '');
    let text = equals < 0 ? undefined : word.slice(equals + 1);
    const name = word.startsWith('--') ? bare : (shorthands.get(bare) ?? bare);
    if ((name === 'help' || bare === 'h') && !Object.hasOwn(table, name)) {
      help = true;
      continue;
    }
    if (text === undefined && Object.hasOwn(table, name) && table[name]!.kind !== 'switch') text = argv[++i];
    flags.push({ name, text });
  }
  return { flags, positional, help };
}
