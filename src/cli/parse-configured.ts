/** Flags together with the configuration file `k8ts.yaml`: that of --config, or else the one in the data directory. */
import fs from 'node:fs';
import path from 'node:path';
import {
  type ConfigFile,
  type FlagTable,
  parseFlags,
  type ParsedFlags,
  readConfigFile,
  UsageError,
} from '../flags/index.ts';

/** The flag of commands that can be configured by a file. */
export const configFlag = {
  config: {
    kind: 'text',
    commandLineOnly: true,
    summary:
      'Configuration file, whose keys are these flags (default: k8ts.yaml in the data directory, if it is there)',
  },
} as const satisfies FlagTable;

/** In the data directory. */
export const CONFIG_NAME = 'k8ts.yaml';

export interface Configured<T extends FlagTable> extends ParsedFlags<T> {
  readonly file: ConfigFile | undefined;
}

/** Flags win over the file, and the file over defaults. */
export function parseConfigured<const T extends FlagTable>(
  argv: readonly string[],
  table: T,
  { defaultDirectory, positional = false }: { defaultDirectory: string; positional?: boolean },
): Configured<T> {
  const alone = parseFlags(argv, table, { positional });
  if (alone.help) return { ...alone, file: undefined };
  const flags = alone.values as Readonly<Record<string, unknown>>;
  const file = findConfig(flags, alone.given.has('data-dir') ? String(flags['data-dir']) : defaultDirectory, table);
  if (!file) return { ...alone, file: undefined };
  const parsed = parseFlags(argv, table, { positional, fileValues: file.values });
  return { ...parsed, warnings: [...parsed.warnings, ...file.warnings], file };
}

function findConfig(
  flags: Readonly<Record<string, unknown>>,
  directory: string,
  table: FlagTable,
): ConfigFile | undefined {
  const { config } = flags;
  if (config === '') return undefined;
  if (typeof config === 'string') return readConfigFile(path.resolve(config), table);
  if (flags['ephemeral'] === true) return undefined;
  const beside = path.resolve(directory, CONFIG_NAME);
  if (!fs.existsSync(beside)) return undefined;
  const file = readConfigFile(beside, table);
  const moved = file.values.get('data-dir');
  if (moved)
    throw new UsageError(
      `${beside}:${moved.line}: data-dir: a file in the data directory cannot move it; name the file with --config`,
    );
  return file;
}
