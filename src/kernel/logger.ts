/** Structured logging in klog's vocabulary: a message and key-value pairs, verbosity levels, secrets redacted. */
export interface Logger {
  info(message: string, pairs?: LogPairs): void;
  warn(message: string, pairs?: LogPairs): void;
  error(error: unknown, message: string, pairs?: LogPairs): void;
  /** A logger that writes only when the configured verbosity is at least `level`. Errors are written regardless. */
  v(level: number): Logger;
  readonly enabled: boolean;
  /** Changes it for this logger and all that come from the same one. */
  setVerbosity?(level: number): void;
  /** The lines no longer reach their destination: they are lost, or wait in memory. */
  readonly isBlocked: boolean;
  /** A logger whose lines carry these pairs too. */
  with(pairs: LogPairs): Logger;
  /** A logger whose lines carry this name, below the name that it has. */
  named(name: string): Logger;
}

type LogPairs = Readonly<Record<string, unknown>>;

export interface LogRecord {
  severity: 'info' | 'warning' | 'error';
  /** Milliseconds since the epoch. */
  time: number;
  verbosity: number;
  name: string;
  message: string;
  pairs: LogPairs;
  /** Present on lines written by `error`. */
  error?: unknown;
}

/** Turns a record into one line, without the line feed. */
export type LogFormat = (record: LogRecord) => string;

interface LoggerOptions {
  /** Milliseconds since the epoch. */
  now: () => number;
  format: LogFormat;
  /** Takes one line, without the line feed. */
  write: (line: string) => void;
  /** Whether lines no longer reach their destination; default never. */
  isBlocked?: () => boolean;
  /** Lines of `v(n)` are written when n is at most this; default 0. */
  verbosity?: number;
  name?: string;
}

export function createLogger(options: LoggerOptions): Logger {
  return new RecordingLogger({ ...options }, 0, options.name ?? '', {});
}

class RecordingLogger implements Logger {
  readonly #options: LoggerOptions;
  readonly #level: number;
  readonly #name: string;
  readonly #pairs: LogPairs;

  constructor(options: LoggerOptions, level: number, name: string, pairs: LogPairs) {
    this.#options = options;
    this.#level = level;
    this.#name = name;
    this.#pairs = pairs;
  }

  get enabled(): boolean {
    return this.#level <= (this.#options.verbosity ?? 0);
  }

  setVerbosity(level: number): void {
    this.#options.verbosity = level;
  }

  get isBlocked(): boolean {
    return this.#options.isBlocked?.() ?? false;
  }

  info(message: string, pairs?: LogPairs): void {
    if (this.enabled) this.#write('info', message, pairs);
  }

  warn(message: string, pairs?: LogPairs): void {
    if (this.enabled) this.#write('warning', message, pairs);
  }

  error(error: unknown, message: string, pairs?: LogPairs): void {
    this.#write('error', message, pairs, error);
  }

  v(level: number): Logger {
    return level === 0 ? this : new RecordingLogger(this.#options, this.#level + level, this.#name, this.#pairs);
  }

  with(pairs: LogPairs): Logger {
    return new RecordingLogger(this.#options, this.#level, this.#name, { ...this.#pairs, ...pairs });
  }

  named(name: string): Logger {
    const full = this.#name === '' ? name : `${this.#name}.${name}`;
    return new RecordingLogger(this.#options, this.#level, full, this.#pairs);
  }

  #write(severity: LogRecord['severity'], message: string, pairs?: LogPairs, error?: unknown): void {
    const { now, format, write } = this.#options;
    const record: LogRecord = {
      severity,
      time: now(),
      verbosity: this.#level,
      name: this.#name,
      message,
      pairs: pairs === undefined ? this.#pairs : { ...this.#pairs, ...pairs },
    };
    if (severity === 'error') record.error = error;
    write(format(record));
  }
}

/** Writes nothing. */
export const silentLogger: Logger = {
  enabled: false,
  isBlocked: false,
  info: () => {},
  warn: () => {},
  error: () => {},
  v: () => silentLogger,
  with: () => silentLogger,
  named: () => silentLogger,
};
