/** The description of a command, for completion and for help as JSON. */
import type { Command, CommandModule } from './command.ts';

export interface CommandDescription {
  readonly name: string;
  readonly summary: string;
  readonly verbs: readonly string[];
  readonly flags: readonly FlagDescription[];
}

export interface FlagDescription {
  /** With its dashes. */
  readonly name: string;
  readonly shorthand?: string;
  readonly summary: string;
  readonly default?: unknown;
  /** The values that it may have. */
  readonly only?: readonly string[];
}

const HELP: FlagDescription = { name: '--help', shorthand: '-h', summary: 'Print the flags' };
const VERSION: FlagDescription = { name: '--version', summary: 'Print the version' };

/** Flags without effect are left out. */
export async function describeCommand(
  name: string,
  { summary, component, load }: Command,
): Promise<CommandDescription> {
  const { flags = {}, verbs = [] }: CommandModule = await load();
  const described = Object.entries(flags).flatMap(
    ([flag, { summary: text, shorthand, default: value, only, ignored, refused }]): FlagDescription[] => {
      if (text === undefined || ignored !== undefined || refused !== undefined) return [];
      return [
        {
          name: `--${flag}`,
          ...(shorthand === undefined ? {} : { shorthand: `-${shorthand}` }),
          summary: text,
          ...(value === undefined ? {} : { default: value }),
          ...(only ? { only } : {}),
        },
      ];
    },
  );
  return { name, summary, verbs, flags: [...described, ...(component ? [VERSION] : []), HELP] };
}
