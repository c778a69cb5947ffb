/** JSON inside of a string field: parsed, or refused with what Go's parser says of it. */
import { jsonSyntaxError } from '../decode/json-syntax.ts';

export type ParsedJson = { readonly value: unknown; readonly problem?: undefined } | { readonly problem: string };

export function parseGoJson(text: string): ParsedJson {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { problem: jsonSyntaxError(Buffer.from(text)) ?? 'unexpected end of JSON input' };
  }
}
