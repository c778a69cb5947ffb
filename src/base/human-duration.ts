/** Ages as kubectl shows them, with two or three significant figures. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** `5s`, `2m3s`, `4h`, `3d`, `2y40d`; a time up to two seconds in the future is now, beyond that `<invalid>`. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return two(seconds, [MINUTE, 'm'], [1, 's']);
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return two(seconds, [HOUR, 'h'], [MINUTE, 'm']);
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return two(seconds, [DAY, 'd'], [HOUR, 'h']);
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return two(seconds, [YEAR, 'y'], [DAY, 'd']);
  return `${Math.floor(seconds / YEAR)}y`;
}

function two(seconds: number, [large, largeName]: [number, string], [small, smallName]: [number, string]): string {
  const rest = Math.floor((seconds % large) / small);
  return rest === 0
    ? `${Math.floor(seconds / large)}${largeName}`
    : `${Math.floor(seconds / large)}${largeName}${rest}${smallName}`;
}
