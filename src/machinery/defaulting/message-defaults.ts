/** The contract of the functions that default a message. */
import type { Growth } from '../decode/index.ts';

export interface DefaultingContext {
  /** The current time, for fields such as timeAdded; they stay empty without it. */
  readonly now?: string;
  /** A part of the object that has its defaults already. */
  readonly alreadyDefaulted?: unknown;
  /** Counts what the defaults add. */
  readonly growth?: Growth;
}

/** Returns the fields of a message that its defaults change; undefined if there are none. An undefined field is removed. */
export type MessageDefaults = (
  value: Record<string, unknown>,
  context: DefaultingContext,
) => Record<string, unknown> | undefined;
