/** Time formats of CronJob annotations and events. */
import { localFields, offsetAt } from './local-time.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (value: number): string => String(value).padStart(2, '0');

/** `2026-01-31T10:00:00+01:00`, with `Z` in UTC. */
export function rfc3339In(at: number, timeZone = 'UTC'): string {
  const { year, month, day, hour, minute } = localFields(at, timeZone);
  const offsetMinutes = Math.round(offsetAt(at, timeZone) / 60_000);
  const sign = offsetMinutes < 0 ? '-' : '+';
  const zone =
    offsetMinutes === 0
      ? 'Z'
      : `${sign}${two(Math.floor(Math.abs(offsetMinutes) / 60))}:${two(Math.abs(offsetMinutes) % 60)}`;
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(Math.floor(at / 1000) % 60)}${zone}`;
}

/** `Sat, 31 Jan 2026 10:00:00 +0000`. */
export function rfc1123(at: number): string {
  const { year, month, day, hour, minute, weekday } = localFields(at, 'UTC');
  return `${DAYS[weekday]}, ${two(day)} ${MONTHS[month - 1]} ${year} ${two(hour)}:${two(minute)}:${two(Math.floor(at / 1000) % 60)} +0000`;
}
