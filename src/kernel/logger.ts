/** Structured logging in klog's vocabulary: a message and key-value pairs, verbosity levels, secrets redacted. */
export interface Logger {
  info(message: string, pairs?: LogPairs): void;
  warn(message: string, pairs?: LogPairs): void;
  error(error: unknown, message: string, pairs?: LogPairs): void;
  /** A logger that writes only when the configured verbosity is at least `level`. */
  v(level: number): Logger;
  readonly enabled: boolean;
  /** A logger whose lines carry these pairs too. */
  with(pairs: LogPairs): Logger;
}

export type LogPairs = Readonly<Record<string, unknown>>;
