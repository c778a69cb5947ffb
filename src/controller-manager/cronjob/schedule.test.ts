import { describe, expect, it } from 'vitest';
import { parseTime } from '../../base/index.ts';
import { parseSchedule } from './schedule.ts';
import { rfc1123, rfc3339In } from './time-texts.ts';

describe('a schedule', () => {
  for (const { name, schedule, zone, after, next } of [
    { name: 'every minute', schedule: '* * * * *', after: '2026-01-01T00:00:30Z', next: '2026-01-01T00:01:00Z' },
    { name: 'not the time itself', schedule: '0 * * * *', after: '2026-01-01T00:00:00Z', next: '2026-01-01T01:00:00Z' },
    { name: 'steps', schedule: '*/15 * * * *', after: '2026-01-01T00:16:00Z', next: '2026-01-01T00:30:00Z' },
    {
      name: 'a list and a range',
      schedule: '5 9-17 * * mon,wed',
      after: '2026-01-01T00:00:00Z',
      next: '2026-01-05T09:05:00Z',
    },
    { name: 'the leap day', schedule: '0 0 29 2 *', after: '2026-01-01T00:00:00Z', next: '2028-02-29T00:00:00Z' },
    {
      name: 'day of month or of week',
      schedule: '0 0 13 * 5',
      after: '2026-01-03T00:00:00Z',
      next: '2026-01-09T00:00:00Z',
    },
    { name: 'a descriptor', schedule: '@monthly', after: '2026-01-15T00:00:00Z', next: '2026-02-01T00:00:00Z' },
    { name: 'a period', schedule: '@every 90s', after: '2026-01-01T00:00:00Z', next: '2026-01-01T00:01:30Z' },
    {
      name: 'a zone',
      schedule: '30 9 * * *',
      zone: 'Europe/Berlin',
      after: '2026-07-01T00:00:00Z',
      next: '2026-07-01T07:30:00Z',
    },
    {
      name: 'an hour that clocks skip',
      schedule: '30 2 * * *',
      zone: 'Europe/Berlin',
      after: '2026-03-29T00:00:00Z',
      next: '2026-03-30T00:30:00Z',
    },
    {
      name: 'an hour that comes twice',
      schedule: '30 2 * * *',
      zone: 'Europe/Berlin',
      after: '2026-10-25T00:30:00Z',
      next: '2026-10-25T01:30:00Z',
    },
    {
      name: 'midnight in a zone',
      schedule: '0 0 * * *',
      zone: 'America/New_York',
      after: '2026-01-01T12:00:00Z',
      next: '2026-01-02T05:00:00Z',
    },
  ]) {
    it(name, () => expect(parseSchedule(schedule, zone).next(parseTime(after))).toBe(parseTime(next)));
  }

  it('that never occurs', () =>
    expect(parseSchedule('0 0 31 2 *').next(parseTime('2026-01-01T00:00:00Z'))).toBeUndefined());
  it('in a zone that does not exist', () =>
    expect(() => parseSchedule('0 0 * * *', 'Mars/Olympus').next(0)).toThrow(RangeError));
  it('writes times', () => {
    expect(rfc3339In(parseTime('2026-07-01T07:30:00Z'), 'Europe/Berlin')).toBe('2026-07-01T09:30:00+02:00');
    expect(rfc3339In(parseTime('2026-07-01T07:30:00Z'))).toBe('2026-07-01T07:30:00Z');
    expect(rfc1123(parseTime('2026-07-01T07:30:00Z'))).toBe('Wed, 01 Jul 2026 07:30:00 +0000');
  });
});
