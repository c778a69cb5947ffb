/** Times as the API writes them. Milliseconds since the epoch on our side. */

/** Whole seconds: `2026-01-01T00:00:00Z`. */
export function formatTime(ms: number): string {
  return `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** Microseconds: `2026-01-01T00:00:00.000000Z`. */
export function formatMicroTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const micros = Math.floor((ms - seconds * 1000) * 1000);
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(micros).padStart(6, '0')}Z`;
}
