/** What a command is. */
import type { FlagTable } from '../flags/index.ts';

export interface CommandModule {
  /** From which completion knows its flags. */
  readonly flags?: FlagTable;
  /** Its verbs, if it has any: `nodes add`. */
  readonly verbs?: readonly string[];
  /** Gives the exit code. */
  run(argv: readonly string[]): Promise<number>;
}

export interface Command {
  readonly summary: string;
  /** A program that upstream has too: its flags are upstream's, `--version` among them. */
  readonly component?: true;
  load(): Promise<CommandModule>;
}

/** An end with an explanation that says what to do; no stack trace helps anybody. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly code = 'command';
}

/** The flag that every command has which prints something. */
export const outputFlag = {
  output: {
    kind: 'text',
    shorthand: 'o',
    only: ['text', 'json'],
    default: 'text',
    summary: 'How the result is printed',
  },
} as const satisfies FlagTable;

/** How a command finds its cluster. */
export const dataDirFlag = {
  'data-dir': { kind: 'text', default: '.k8ts', summary: 'Where the cluster lives' },
} as const satisfies FlagTable;
