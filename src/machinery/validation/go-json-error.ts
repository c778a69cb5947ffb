/** Parses JSON in a string field, with Go's errors. */
import { parseJson } from '../decode/index.ts';
import { isStatusError } from '../errors/index.ts';

type ParsedJson = { readonly value: unknown; readonly problem?: undefined } | { readonly problem: string };

export function parseGoJson(text: string): ParsedJson {
  try {
    return { value: parseJson(text).value };
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return { problem: error.message };
  }
}
