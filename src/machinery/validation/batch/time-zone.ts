/** Validates names of time zones of the IANA database, in their exact spelling. */
import { type FieldError, invalidValue, type Path } from '../../errors/index.ts';

const COMPONENT = /^[A-Za-z.\-_0-9+]{1,14}$/;

/** Links and fixed offsets of the database, which the runtime does not list. */
const ALIASES =
  /^(?:UTC|UCT|GMT|Zulu|Universal|Greenwich|EST|MST|HST|EST5EDT|CST6CDT|MST7MDT|PST8PDT|CET|MET|EET|WET|Etc\/(?:UTC|UCT|Zulu|Universal|Greenwich|GMT(?:[+-]?\d{1,2})?))$/;

let listed: ReadonlySet<string> | undefined;

export function isKnownTimeZone(zone: string): boolean {
  if (zone === '' || ALIASES.test(zone)) return true;
  listed ??= new Set(Intl.supportedValuesOf('timeZone'));
  if (listed.has(zone)) return true;
  try {
    // The runtime ignores case and resolves links.
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    return false;
  }
  return (
    zone.includes('/') && zone.split('/').every((part) => /^[A-Z]/.test(part) || /^(?:a|of|es|au|in)\b/.test(part))
  );
}

export function validateTimeZone(errors: FieldError[], zone: string | undefined | null, at: Path): void {
  if (zone == null) return;
  if (zone === '') {
    errors.push(invalidValue(at, zone, 'timeZone must be nil or non-empty string'));
    return;
  }
  const wrongPart = zone
    .split('/')
    .some((part) => part === '.' || part === '..' || part.startsWith('-') || !COMPONENT.test(part));
  if (wrongPart) {
    errors.push(invalidValue(at, zone, `unknown time zone ${zone}`));
    return;
  }
  const local = zone.toLowerCase() === 'local';
  if (local) {
    errors.push(
      invalidValue(at, zone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'),
    );
  }
  // Go accepts `Local` as a zone, so there is no second error.
  if (zone !== 'Local' && !isKnownTimeZone(zone)) errors.push(invalidValue(at, zone, `unknown time zone ${zone}`));
}
