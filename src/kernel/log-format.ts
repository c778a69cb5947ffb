import { quote } from '../base/index.ts';
import type { LogFormat, LogRecord } from './logger.ts';
import { redact, redactText } from './redact.ts';

const SEVERITY_LETTER = { info: 'I', warning: 'W', error: 'E' } as const;

/**
 * klog's text format, with the logger's name where klog has the source line:
 *
 *   I0102 15:04:05.000123   12345 kubelet] "Started container" pod="default/web" restarts=2
 */
export function klogText(pid: number): LogFormat {
  const process = String(pid).padStart(7);
  return (record) => {
    const name = record.name === '' ? 'k8ts' : record.name;
    let line = `${SEVERITY_LETTER[record.severity]}${klogTime(record.time)} ${process} ${name}] ${quote(redactText(record.message))}`;
    if (record.severity === 'error') line += ` err=${textValue(errorText(record.error))}`;
    for (const [key, value] of Object.entries(record.pairs)) {
      line += ` ${key}=${textValue(redact(objectName(value), key))}`;
    }
    return line;
  };
}

/** The JSON format of upstream's components: `ts` in milliseconds, `v` on info lines, `err` on error lines. */
export const jsonLines: LogFormat = (record) => {
  const line: Record<string, unknown> = { ts: record.time };
  if (record.name !== '') line['logger'] = record.name;
  line['msg'] = redactText(record.message);
  if (record.severity === 'error') line['err'] = redactText(errorText(record.error));
  else line['v'] = record.verbosity;
  if (record.severity === 'warning') line['severity'] = 'warning';
  for (const [key, value] of Object.entries(record.pairs)) line[key] = jsonValue(redact(objectName(value), key));
  return stringify(line);
};

function klogTime(time: LogRecord['time']): string {
  const date = new Date(time);
  const two = (n: number): string => String(n).padStart(2, '0');
  const micros = String(Math.floor((time - Math.floor(time / 1000) * 1000) * 1000)).padStart(6, '0');
  return `${two(date.getMonth() + 1)}${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${micros}`;
}

function textValue(value: unknown): string {
  if (typeof value === 'string')
    return value.includes('\n') ? `<\n\t${value.trimEnd().replaceAll('\n', '\n\t')}\n >` : quote(value);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value === null || value === undefined) return 'null';
  if (value instanceof Error) return textValue(redactText(errorText(value)));
  return stringify(value);
}

function jsonValue(value: unknown): unknown {
  if (value instanceof Error) return redactText(errorText(value));
  return typeof value === 'bigint' ? String(value) : value;
}

/** An API object is logged by its name, as klog's KObj does: whole objects in logs are noise and may hold secrets. */
function objectName(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('metadata' in value)) return value;
  const metadata = value.metadata;
  if (typeof metadata !== 'object' || metadata === null || !('name' in metadata) || typeof metadata.name !== 'string')
    return value;
  const namespace = 'namespace' in metadata && typeof metadata.namespace === 'string' ? metadata.namespace : '';
  return namespace === '' ? metadata.name : `${namespace}/${metadata.name}`;
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return redactText(typeof error === 'string' ? error : stringify(error));
  const cause = error.cause === undefined ? '' : `: ${errorText(error.cause)}`;
  const parts = error instanceof AggregateError ? `: [${[...new Set(error.errors.map(errorText))].join(', ')}]` : '';
  return redactText(error.message === '' ? error.name : error.message) + cause + parts;
}

/** A log line must never throw: cycles and big integers get a text instead. */
function stringify(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ??
      String(value)
    );
  } catch {
    return quote('[unprintable]');
  }
}
