/** The client's side of exec and attach, independent of the protocol (SPDY or WebSocket). */
import type { Readable, Writable } from 'node:stream';

export interface RemoteCommand {
  /** Ends when the client half-closes it. */
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  /** Absent with a terminal, whose stdout has both outputs. */
  readonly stderr?: Writable;
  /**
   * Calls the listener with the client's last terminal size, if any, and every later one. Replaces the previous
   * listener.
   */
  onResize(listener: (size: TerminalSize) => void): void;
  /** Aborts when the client disconnects. */
  readonly disconnected: AbortSignal;
  /** Sends the outcome, ends the outputs, and closes the connection when everything is sent. */
  finish(outcome: Outcome): Promise<void>;
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The streams of a CRI exec or attach request. */
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

/** The Status that clients of protocol v4 and later read from the error stream. */
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

/** The error text for clients of protocols before v4; empty for success. */
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

/** Parses a message of the resize stream. */
export function parseResize(text: string): TerminalSize | undefined {
  try {
    const { Width, Height } = JSON.parse(text) as { Width?: unknown; Height?: unknown };
    if (typeof Width !== 'number' || typeof Height !== 'number' || !(Width > 0) || !(Height > 0)) return undefined;
    return { width: Math.min(Math.trunc(Width), 0xffff), height: Math.min(Math.trunc(Height), 0xffff) };
  } catch {
    return undefined;
  }
}
