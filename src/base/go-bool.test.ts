import { expect, it } from 'vitest';
import { goBoolError, parseGoBool } from './go-bool.ts';

it.each([
  [true, ['1', 't', 'T', 'true', 'TRUE', 'True']],
  [false, ['0', 'f', 'F', 'false', 'FALSE', 'False']],
  [undefined, ['', 'yes', 'tRUE', ' true', '01', 'constructor']],
])('reads %s', (value, texts) => {
  expect(texts.map(parseGoBool)).toEqual(texts.map(() => value));
});

it("words the error as Go's", () => {
  expect(goBoolError('yes')).toBe('strconv.ParseBool: parsing "yes": invalid syntax');
});
