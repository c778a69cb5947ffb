/** Milliseconds since the epoch of an RFC 3339 time; undefined for none. */
export function parseStartTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
