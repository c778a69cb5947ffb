/** The regex library: RE2's syntax, matched in linear time. */
import type { LinearRegexp } from '../../base/index.ts';
import { compileGoRegexp, GoRegexpError } from '../../machinery/validation/index.ts';
import { method, overload, type Library } from '../function-table.ts';
import { BOOL, INT, STRING, listOf } from '../types.ts';
import { CelError, type Value } from '../values.ts';

function compiled(pattern: string, prefix = ''): LinearRegexp {
  try {
    return compileGoRegexp(pattern);
  } catch (error) {
    if (error instanceof GoRegexpError) throw new CelError(prefix + error.message);
    throw error;
  }
}

const matches = (text: string, pattern: string): boolean => compiled(pattern).test(text);

function find(text: string, pattern: string): string {
  const found = compiled(pattern, 'Illegal regex: ').find(text);
  return found ? text.slice(...found) : '';
}

function findAll(text: string, pattern: string, limit = -1n): Value {
  const regexp = compiled(pattern, 'Illegal regex: ');
  const found: string[] = [];
  let lastEnd = -1;
  for (let at = 0; at <= text.length && (limit < 0n || found.length < limit);) {
    const match = regexp.find(text, at);
    if (!match) break;
    const [start, end] = match;
    // As Go does, skip an empty match directly after another match.
    if (end > start || start !== lastEnd) found.push(text.slice(start, end));
    lastEnd = end;
    at = end > start ? end : end + 1;
  }
  return found;
}

export const regexLibrary: Library = {
  functions: {
    matches: [
      method('matches_string', [STRING, STRING], BOOL, matches),
      overload('matches', [STRING, STRING], BOOL, matches),
    ],
    find: [method('string_find_string', [STRING, STRING], STRING, find)],
    findAll: [
      method('string_find_all_string', [STRING, STRING], listOf(STRING), findAll),
      method('string_find_all_string_int', [STRING, STRING, INT], listOf(STRING), findAll),
    ],
  },
};
