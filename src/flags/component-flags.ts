/** Flags that every component has: logging, and flags of Go programs that have no meaning here. */
import type { FlagTable } from './flag-table.ts';

const GO_RUNTIME = 'it configures the Go runtime';

export const loggingFlags = {
  v: { kind: 'whole', shorthand: 'v', default: 0, section: 'Logging', summary: 'Log verbosity' },
  'logging-format': {
    kind: 'text',
    default: 'text',
    only: ['text', 'json'],
    section: 'Logging',
    summary: 'Format of log lines',
  },
  vmodule: { kind: 'texts', refused: 'all modules have the same verbosity' },
  'log-flush-frequency': { kind: 'duration', ignored: 'log lines are not buffered' },
  'log-json-info-buffer-size': { kind: 'text', ignored: 'log lines are not buffered' },
  'log-json-split-stream': { kind: 'switch', only: ['false'], refused: 'all log lines go to standard error' },
  'log-text-info-buffer-size': { kind: 'text', ignored: 'log lines are not buffered' },
  'log-text-split-stream': { kind: 'switch', only: ['false'], refused: 'all log lines go to standard error' },
} as const satisfies FlagTable;

export const processFlags = {
  profiling: { kind: 'switch', ignored: GO_RUNTIME },
  'contention-profiling': { kind: 'switch', ignored: GO_RUNTIME },
  'allow-metric-labels': { kind: 'pairs', refused: 'labels of metrics are not limited' },
  'allow-metric-labels-manifest': { kind: 'text', refused: 'labels of metrics are not limited' },
  'disabled-metrics': { kind: 'texts', refused: 'all metrics are always collected' },
  'show-hidden-metrics-for-version': { kind: 'text', ignored: 'no metric is hidden' },
  'emulated-version': { kind: 'texts', only: ['1.36', 'kube=1.36'], refused: 'only v1.36 is served' },
  'min-compatibility-version': { kind: 'texts', ignored: 'only v1.36 is served' },
} as const satisfies FlagTable;

/** The context options that the logging flags set. */
export function loggingOptions(values: { readonly v: number; readonly 'logging-format': string }): {
  verbosity: number;
  logFormat: 'text' | 'json';
} {
  return { verbosity: values.v, logFormat: values['logging-format'] === 'json' ? 'json' : 'text' };
}
