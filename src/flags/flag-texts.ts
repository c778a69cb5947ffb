import { isRecord } from '../base/index.ts';

/** The values of flags as Go's flags print them; `[]` for a list without elements. */
export const flagTexts = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? `[${value.join(',')}]` : isRecord(value) ? pairsText(value) : String(value ?? ''),
    ]),
  );

const pairsText = (pairs: Readonly<Record<string, unknown>>): string =>
  Object.entries(pairs)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(',');
