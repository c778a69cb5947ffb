/** `k8ts config check|print`: the configuration file k8ts.yaml, and the values that a command would run with. */
import path from 'node:path';
import {
  effectiveValues,
  flagsHelp,
  type FlagTable,
  formatConfig,
  parseFlags,
  readConfigFile,
  UsageError,
} from '../flags/index.ts';
import { outputFlag } from './command.ts';
import { flags as joinFlags } from './join.ts';
import { print } from './output.ts';
import { parseConfigured } from './parse-configured.ts';
import { DEFAULT_DIRECTORY, flags as upFlags } from './up.ts';

export const flags = {
  for: { kind: 'text', only: ['up', 'join'], default: 'up', summary: 'The command that the file is for' },
  ...outputFlag,
} as const satisfies FlagTable;

export const verbs = ['check', 'print'] as const;

/** The commands that a file can configure. */
export const CONFIGURED = {
  up: { flags: upFlags as FlagTable, defaultDirectory: DEFAULT_DIRECTORY },
  join: { flags: joinFlags as FlagTable, defaultDirectory: joinFlags['data-dir'].default },
} as const;

export type ConfiguredCommand = keyof typeof CONFIGURED;

const USAGE = `k8ts config: the configuration file k8ts.yaml

  k8ts config check FILE [--for join]     checks the file of "k8ts up", or of "k8ts join"
  k8ts config print up [FLAGS]            prints what "k8ts up FLAGS" would run with, and where each value comes from
  k8ts config print join [FLAGS]`;

export function run(argv: readonly string[]): Promise<number> {
  const [verb = '', ...rest] = argv;
  if (verb === 'check') return Promise.resolve(check(rest));
  if (verb === 'print') return Promise.resolve(printValues(rest));
  if (!parseFlags(argv, flags, { positional: true }).help)
    throw new UsageError(`${verb === '' ? 'what to do is missing' : `unknown command "config ${verb}"`}\n\n${USAGE}`);
  console.log(flagsHelp(flags, { usage: USAGE }));
  return Promise.resolve(0);
}

function check(argv: readonly string[]): number {
  const { values, positional, help } = parseFlags(argv, flags, { positional: true });
  if (help) {
    console.log(flagsHelp(flags, { usage: USAGE }));
    return 0;
  }
  const [file, ...rest] = positional;
  if (file === undefined || rest.length > 0) throw new UsageError('usage: k8ts config check FILE [--for join]');
  const { values: found, warnings } = readConfigFile(
    path.resolve(file),
    CONFIGURED[values.for as ConfiguredCommand].flags,
  );
  for (const warning of warnings) console.error(warning);
  print(
    values.output,
    { file: path.resolve(file), command: values.for, keys: [...found.keys()] },
    ({ keys }) =>
      `${file} is a configuration of "k8ts ${values.for}" with ${keys.length} ${keys.length === 1 ? 'value' : 'values'}`,
  );
  return 0;
}

function printValues([command = '', ...argv]: readonly string[]): number {
  if (!Object.hasOwn(CONFIGURED, command)) throw new UsageError(`usage: k8ts config print up|join [FLAGS]`);
  const { flags: table, defaultDirectory } = CONFIGURED[command as ConfiguredCommand];
  const parsed = parseConfigured(argv, table, { defaultDirectory, positional: command === 'join' });
  if (parsed.help) {
    console.log(flagsHelp(table, { usage: USAGE }));
    return 0;
  }
  const effective = effectiveValues(table, parsed, parsed.file);
  print(String(parsed.values['output']), effective, formatConfig);
  return 0;
}
