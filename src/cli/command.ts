/** The interface of a command, and the flags that commands share. */
import type { FlagTable } from '../flags/index.ts';

export interface CommandModule {
  /** For completion. */
  readonly flags?: FlagTable;
  /** Its verbs, if it has any: `nodes add`. */
  readonly verbs?: readonly string[];
  /** Returns the exit code. `commands` are all commands, for those that describe them. */
  run(argv: readonly string[], commands: Commands): Promise<number>;
}

export interface Command {
  readonly summary: string;
  /** A program that upstream has too: its flags are upstream's, `--version` among them. */
  readonly component?: true;
  load(): Promise<CommandModule>;
}

export type Commands = Readonly<Record<string, Command>>;

/** A failure whose message tells the user what to do; it is printed without a stack trace. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly code = 'command';
}

/** The flag of every command that prints a result. */
export const outputFlag = {
  output: {
    kind: 'text',
    shorthand: 'o',
    only: ['text', 'json'],
    default: 'text',
    commandLineOnly: true,
    summary: 'Output format',
  },
} as const satisfies FlagTable;

/** The flag by which a command finds its cluster. */
export const dataDirFlag = {
  'data-dir': { kind: 'text', path: true, default: '.k8ts', summary: 'Data directory of the cluster' },
} as const satisfies FlagTable;

/** The flag by which a machine that has joined a cluster finds its state. */
export const machineDirFlag = {
  'data-dir': { kind: 'text', path: true, default: '/var/lib/k8ts/node', summary: 'Data directory of the node' },
} as const satisfies FlagTable;
