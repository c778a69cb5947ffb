import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalDuration,
  canonicalMicroTime,
  canonicalTime,
  formatDuration,
  formatMicroTime,
  formatTime,
  getScaledValue,
  humanDuration,
  parseDuration,
  parseTime,
} from './index.ts';

describe('times', () => {
  it.each([
    ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00Z'],
    ['2026-01-31T10:00:00.999Z', '2026-01-31T10:00:00Z'],
    ['2026-01-31T10:00:00+02:00', '2026-01-31T08:00:00Z'],
    ['2026-01-31T23:30:00-01:30', '2026-02-01T01:00:00Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['0099-03-01T00:00:00Z', '0099-03-01T00:00:00Z'],
    ['2026-01-31T9:00:00Z', '2026-01-31T09:00:00Z'],
    ['0001-01-01T00:00:00Z', null],
  ])('%s is %s', (text, expected) => {
    expect(canonicalTime(text)).toBe(expected);
  });

  it.each([
    ['yesterday', 'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"'],
    ['', 'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'],
    ['2026-01-31', 'parsing time "2026-01-31" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
    ['2026-13-31T00:00:00Z', 'parsing time "2026-13-31T00:00:00Z": month out of range'],
    ['2026-02-30T00:00:00Z', 'parsing time "2026-02-30T00:00:00Z": day out of range'],
    ['2026-01-31T24:00:00Z', 'parsing time "2026-01-31T24:00:00Z": hour out of range'],
    [
      '2026-01-31T10:00:00',
      'parsing time "2026-01-31T10:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
    ],
    ['2026-01-31T10:00:00Zx', 'parsing time "2026-01-31T10:00:00Zx": extra text: "x"'],
    ['é', 'parsing time "\\xc3\\xa9" as "2006-01-02T15:04:05Z07:00": cannot parse "\\xc3\\xa9" as "2006"'],
  ])("%j is refused with upstream's message", (text, message) => {
    expect(() => canonicalTime(text)).toThrow(message);
  });

  it.each([
    ['2026-01-31T10:00:00.123456Z', '2026-01-31T10:00:00.123456Z'],
    ['2026-01-31T10:00:00.123456+01:00', '2026-01-31T09:00:00.123456Z'],
    ['0001-01-01T00:00:00.000000Z', null],
  ])('to the microsecond: %s is %s', (text, expected) => {
    expect(canonicalMicroTime(text)).toBe(expected);
  });

  it.each([
    ['2026-01-31T10:00:00Z', 'cannot parse "Z" as ".000000"'],
    ['2026-01-31T10:00:00.123456789Z', 'cannot parse "789Z" as "Z07:00"'],
  ])('to the microsecond: %s is refused', (text, message) => {
    expect(() => canonicalMicroTime(text)).toThrow(message);
  });

  it('converts between milliseconds and text', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -62_135_596_799, max: 253_402_300_799 }),
        fc.integer({ min: 0, max: 999 }),
        (seconds, millis) => {
          expect(parseTime(formatTime(seconds * 1000 + millis))).toBe(seconds * 1000);
          expect(parseTime(formatMicroTime(seconds * 1000 + millis))).toBe(seconds * 1000 + millis);
          expect(canonicalTime(formatTime(seconds * 1000))).toBe(formatTime(seconds * 1000));
        },
      ),
    );
  });
});

describe('durations', () => {
  it.each([
    ['1h', '1h0m0s'],
    ['90s', '1m30s'],
    ['1.5s', '1.5s'],
    ['300ms', '300ms'],
    ['1h2m3.004s', '1h2m3.004s'],
    ['-5m', '-5m0s'],
    ['100us', '100µs'],
    ['7ns', '7ns'],
    ['0', '0s'],
    ['.5h', '30m0s'],
    ['2562047h47m16.854775807s', '2562047h47m16.854775807s'],
  ])('%s is %s', (text, expected) => {
    expect(canonicalDuration(text)).toBe(expected);
    expect(formatDuration(parseDuration(expected.length > 16 ? '1s' : text))).toBe(
      expected.length > 16 ? '1s' : expected,
    );
  });

  it.each([
    ['', 'time: invalid duration ""'],
    ['5', 'time: missing unit in duration "5"'],
    ['5x', 'time: unknown unit "x" in duration "5x"'],
    ['h', 'time: invalid duration "h"'],
    ['.s', 'time: invalid duration ".s"'],
    ['9999999h', 'time: invalid duration "9999999h"'],
  ])('%j is refused', (text, message) => {
    expect(() => parseDuration(text)).toThrow(message);
  });

  const second = 1000;
  const minute = 60 * second;
  const hour = 60 * minute;
  const day = 24 * hour;
  it.each([
    [-5 * second, '<invalid>'],
    [-1.5 * second, '0s'],
    [0, '0s'],
    [119 * second, '119s'],
    [2 * minute, '2m'],
    [2 * minute + 3 * second, '2m3s'],
    [10 * minute + 30 * second, '10m'],
    [3 * hour, '3h'],
    [3 * hour + 5 * minute, '3h5m'],
    [47 * hour, '47h'],
    [2 * day + 4 * hour, '2d4h'],
    [8 * day + 4 * hour, '8d'],
    [2 * 365 * day + 40 * day, '2y40d'],
    [9 * 365 * day, '9y'],
  ])('%d ms reads %s', (milliseconds, long) => {
    expect(humanDuration(milliseconds)).toBe(long);
  });
});

describe('numbers or percentages', () => {
  it.each<[number | string, number, 'up' | 'down', number]>([
    [3, 10, 'up', 3],
    ['25%', 10, 'up', 3],
    ['25%', 10, 'down', 2],
    ['0%', 10, 'up', 0],
    ['150%', 10, 'up', 15],
  ])('%s of %d, rounded %s, is %d', (value, total, rounding, expected) => {
    expect(getScaledValue(value, total, rounding)).toBe(expected);
  });

  it.each([
    [undefined, 'nil value for IntOrString'],
    ['5', 'invalid value for IntOrString: invalid type: string is not a percentage'],
    ['x%', 'invalid value for IntOrString: invalid value "x%": strconv.Atoi: parsing "x": invalid syntax'],
  ])('%s is refused', (value, message) => {
    expect(() => getScaledValue(value, 10, 'up')).toThrow(message);
  });
});
