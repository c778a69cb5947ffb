/** A client's end of exec and attach, whatever protocol it speaks. */
import type { Readable, Writable } from 'node:stream';

export interface RemoteCommand {
  /** Ends when the client half-closes it. */
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  /** Absent with a terminal, which has one output. */
  readonly stderr?: Writable;
  /** The size that the client told last, if it told one, and every later one; a new listener replaces the one before. */
  onResize(listener: (size: TerminalSize) => void): void;
  /** Aborts when the client is gone. */
  readonly gone: AbortSignal;
  /** Tells the outcome, ends the outputs, and closes when everything has been sent. */
  finish(outcome: Outcome): Promise<void>;
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** Which streams a client may have, as it was said when the URL was asked for. */
export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly terminal: boolean;
}

export type Outcome =
  | { readonly type: 'success' }
  | { readonly type: 'exit'; readonly exitCode: number; readonly message: string }
  | { readonly type: 'failure'; readonly message: string };

/** The outcome as the Status that clients read from the error channel. */
export function statusOf(outcome: Outcome): object {
  switch (outcome.type) {
    case 'success':
      return { metadata: {}, status: 'Success' };
    case 'exit':
      return {
        metadata: {},
        status: 'Failure',
        message: `command terminated with non-zero exit code: ${outcome.message}`,
        reason: 'NonZeroExitCode',
        details: { causes: [{ reason: 'ExitCode', message: String(outcome.exitCode) }] },
      };
    case 'failure':
      return {
        metadata: {},
        status: 'Failure',
        message: `Internal error occurred: ${outcome.message}`,
        reason: 'InternalError',
        details: { causes: [{ message: outcome.message }] },
        code: 500,
      };
  }
}

/** The outcome for clients from before there was a Status: nothing, or a sentence. */
export function plainTextOf(outcome: Outcome): string {
  switch (outcome.type) {
    case 'success':
      return '';
    case 'exit':
      return `command terminated with non-zero exit code: ${outcome.message}`;
    case 'failure':
      return outcome.message;
  }
}

/** A message of the resize channel. */
export function parseResize(text: string): TerminalSize | undefined {
  try {
    const { Width, Height } = JSON.parse(text) as { Width?: unknown; Height?: unknown };
    if (typeof Width !== 'number' || typeof Height !== 'number' || !(Width > 0) || !(Height > 0)) return undefined;
    return { width: Math.min(Math.trunc(Width), 0xffff), height: Math.min(Math.trunc(Height), 0xffff) };
  } catch {
    return undefined;
  }
}
