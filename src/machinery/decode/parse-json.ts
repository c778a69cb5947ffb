/** Parses JSON, with Go's errors. */
import { badRequest } from '../errors/index.ts';
import { countKeys } from './count-keys.ts';
import { plainValue, readDocument, type PlainValue } from './document.ts';
import { jsonSyntaxError } from './json-syntax.ts';
import { scanJson, type JsonScan } from './scan-json.ts';

/** A body's text, its value, and what a scan of its bytes found. */
export interface ParsedText {
  readonly text: string;
  readonly value: unknown;
  readonly scan: JsonScan;
}

/** JSON.parse with Go's message in a StatusError if the text is not JSON or nests too deeply. */
export function parseText(body: Uint8Array | string): ParsedText {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const text =
    typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const scan = scanJson(bytes);
  try {
    if (!scan.unusual) return { text, scan, value: JSON.parse(text) as unknown };
    const fault = jsonSyntaxError(bytes);
    if (fault === undefined) return { text, scan, value: JSON.parse(text) as unknown };
    throw badRequest(fault);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(jsonSyntaxError(bytes) ?? error.message);
  }
}

/** Integers with fewer digits fit into a double. */
const LONG_INTEGER = /[0-9]{16}/;

/**
 * Valid JSON. Integers that a double cannot hold are bigints, if `isExact` wants the value that JSON.parse gives to be exact.
 */
export function parseExactJson(text: string, isExact: (value: unknown) => boolean = () => true): unknown {
  const value: unknown = JSON.parse(text);
  return LONG_INTEGER.test(text) && isExact(value) ? plainValue(readDocument(text)).value : value;
}

/**
 * Any JSON value, with the paths of duplicate keys (`spec.a[0].b`); the last of them wins. Integers beyond 2^53 that
 * fit into 64 bits are bigints. `onNumberOutOfRange` is called for numbers that no double can hold, and throws by
 * default. Throws a StatusError.
 */
export function parseJson(body: Uint8Array | string, onNumberOutOfRange?: (text: string) => void): PlainValue {
  const { text, value, scan } = parseText(body);
  if (!scan.unusual && countKeys(value) === scan.keys) return { value, duplicates: [] };
  return plainValue(readDocument(text), onNumberOutOfRange);
}
