/** A command line that cannot be understood, worded for the person who typed it. */
export class UsageError extends Error {
  override name = 'UsageError';
  readonly code = 'usage';
}

export type FlagKinds = Record<string, 'text' | 'flag'>;

export interface ParsedFlags {
  values: Record<string, string | undefined>;
  flags: Record<string, boolean | undefined>;
  positional: string[];
}

/** `--name value`, `--name=value`, `--switch`, `--switch=false`; anything unknown is refused by name. */
export function parseFlags(argv: readonly string[], kinds: FlagKinds): ParsedFlags {
  const parsed: ParsedFlags = { values: {}, flags: {}, positional: [] };
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i]!;
    if (!argument.startsWith('-') || argument === '-') {
      parsed.positional.push(argument);
      continue;
    }
    const [name, attached] = split(argument.replace(/^--?/, ''));
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) throw new UsageError(`unknown flag: --${name}`);
    if (kind === 'flag') {
      if (attached !== undefined && attached !== 'true' && attached !== 'false') {
        throw new UsageError(`invalid argument ${JSON.stringify(attached)} for --${name}: it takes true or false`);
      }
      parsed.flags[name] = attached !== 'false';
      continue;
    }
    const value = attached ?? argv[++i];
    if (value === undefined) throw new UsageError(`flag needs an argument: --${name}`);
    parsed.values[name] = value;
  }
  return parsed;
}

function split(flag: string): [name: string, value: string | undefined] {
  const equals = flag.indexOf('=');
  return equals < 0 ? [flag, undefined] : [flag.slice(0, equals), flag.slice(equals + 1)];
}

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Go's notation for durations, as etcd's flags take it: `5m`, `1h30m`. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) total += Number(amount) * unitMs[unit!]!;
  return total;
}
