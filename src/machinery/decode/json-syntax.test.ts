import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonSyntaxError } from './json-syntax.ts';
import { MAX_DEPTH } from './scan-json.ts';

describe("errors of Go's parser", () => {
  it.each([
    ['', 'unexpected end of JSON input'],
    ['   ', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a"', 'unexpected end of JSON input'],
    ['{"a":"b', 'unexpected end of JSON input'],
    ['hello', "invalid character 'h' looking for beginning of value"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" "b"}', "invalid character '\"' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{}x', "invalid character 'x' after top-level value"],
    ['{"a":01}', "invalid character '1' after object key:value pair"],
    ['{"a":-}', "invalid character '}' in numeric literal"],
    ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
    ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
    ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
    ['{"a":nul1}', "invalid character '1' in literal null (expecting 'l')"],
    ['{"a":"\t"}', "invalid character '\\t' in string literal"],
    ['{"a":"\\q"}', "invalid character 'q' in string escape code"],
    ['{"a":"\\u12g4"}', "invalid character 'g' in \\u hexadecimal character escape"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ['['.repeat(MAX_DEPTH + 1), "invalid character '[' exceeded max depth"],
  ])('%j', (text, expected) => {
    expect(jsonSyntaxError(Buffer.from(text))).toBe(expected);
  });

  it('agrees with JSON.parse on valid JSON', () => {
    const text = fc.oneof(
      fc.json(),
      fc
        .tuple(
          fc.json(),
          fc.nat(),
          fc.constantFrom('"', '{', '}', '[', ']', ',', ':', '0', '-', '.', 'e', 't', 'null', '\\', ' ', '\n'),
        )
        .map(([json, at, piece]) => {
          const i = at % (json.length + 1);
          return json.slice(0, i) + piece + json.slice(i + (at % 3));
        }),
    );
    fc.assert(
      fc.property(text, (json) => {
        let valid = true;
        try {
          JSON.parse(json);
        } catch {
          valid = false;
        }
        expect(jsonSyntaxError(Buffer.from(json)) === undefined).toBe(valid);
      }),
      { numRuns: 5000 },
    );
  });
});
