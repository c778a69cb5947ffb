import { DurationError, parseDuration, parseGoBool } from '../base/index.ts';
import { UsageError, type FlagKind, type FlagTypes } from './flag-table.ts';

export function parseFlagValue(name: string, kind: FlagKind, text: string): FlagTypes[FlagKind] {
  const wrong = (what: string): UsageError =>
    new UsageError(`invalid argument ${JSON.stringify(text)} for "--${name}" flag: ${what}`);
  switch (kind) {
    case 'text':
      return text;
    case 'repeated':
      return [text];
    case 'texts':
      return text === '' ? [] : text.split(',').map((word) => word.trim());
    case 'switch': {
      const value = parseGoBool(text);
      if (value === undefined) throw wrong('it must be true or false');
      return value;
    }
    case 'whole':
      if (!/^[+-]?\d+$/.test(text)) throw wrong('it must be an integer');
      return Number(text);
    case 'number':
      if (text.trim() === '' || !Number.isFinite(Number(text))) throw wrong('it must be a number');
      return Number(text);
    case 'duration': {
      try {
        return parseDuration(text);
      } catch (error) {
        throw error instanceof DurationError ? wrong(error.message) : error;
      }
    }
    case 'pairs':
      return parsePairs(text, (part) => {
        throw wrong(`${JSON.stringify(part)} must be formatted as key=value`);
      });
    case 'settings':
      return parsePairs(text, (part) => [part, '']);
  }
}

function parsePairs(text: string, parseKey: (part: string) => [key: string, value: string]): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const equals = part.indexOf('=');
    const [key, value] = equals <= 0 ? parseKey(part) : [part.slice(0, equals), part.slice(equals + 1)];
    pairs[key.trim()] = value.trim();
  }
  return pairs;
}
