import { UsageError, type FlagKind, type FlagTypes } from './flag-table.ts';

const UNIT_MS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, 'µs': 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const DURATION = /^[+-]?(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+$/;
const SWITCH_WORDS: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 't', 'T', 'true', 'TRUE', 'True'].map((word) => [word, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'false', 'FALSE', 'False'].map((word) => [word, false])),
};

/** Go's notation for durations: `5m`, `1h30m`, `0`; milliseconds, or nothing when it is none. */
export function parseDuration(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) return 0;
  if (!DURATION.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g)) total += Number(amount) * UNIT_MS[unit!]!;
  return text.startsWith('-') ? -total : total;
}

/** Milliseconds in Go's notation, as the help shows defaults. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  if (hours === 0 && minutes === 0 && seconds < 1) return `${ms}ms`;
  return `${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`;
}

export function parseFlagValue(name: string, kind: FlagKind, text: string): FlagTypes[FlagKind] {
  const wrong = (what: string): UsageError => new UsageError(`invalid argument ${JSON.stringify(text)} for "--${name}" flag: ${what}`);
  switch (kind) {
    case 'text':
      return text;
    case 'repeated':
      return [text];
    case 'texts':
      return text === '' ? [] : text.split(',').map((word) => word.trim());
    case 'switch': {
      const value = SWITCH_WORDS[text];
      if (value === undefined) throw wrong('it takes true or false');
      return value;
    }
    case 'whole':
      if (!/^[+-]?\d+$/.test(text)) throw wrong('it takes a whole number');
      return Number(text);
    case 'number':
      if (text.trim() === '' || !Number.isFinite(Number(text))) throw wrong('it takes a number');
      return Number(text);
    case 'duration': {
      const ms = parseDuration(text);
      if (ms === undefined) throw wrong('it takes a duration such as 30s or 1h30m');
      return ms;
    }
    case 'pairs':
      return parsePairs(text, wrong);
  }
}

function parsePairs(text: string, wrong: (what: string) => UsageError): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const equals = part.indexOf('=');
    if (equals <= 0) throw wrong(`${JSON.stringify(part)} must be formatted as key=value`);
    pairs[part.slice(0, equals).trim()] = part.slice(equals + 1).trim();
  }
  return pairs;
}
