import { describe, expect, it } from 'vitest';
import { compile, CelCompileError, Environment, types as t, type Value } from './index.ts';

const person = new Environment({
  variables: { x: t.INT, s: t.STRING, l: t.listOf(t.INT), m: t.mapOf(t.STRING, t.INT), d: t.DYN },
});
const VALUES: Readonly<Record<string, Value>> = { x: 4n, s: 'abc', l: [1n, 2n, 3n], m: new Map([['a', 1n]]), d: 5n };

const evaluate = (source: string, limit = 1_000_000): unknown => {
  const { value, error } = compile(source, person).program.run((name) => VALUES[name], limit);
  return error ? `error: ${error.message}` : value;
};

const problems = (source: string): string => {
  try {
    compile(source, person);
  } catch (error) {
    if (error instanceof CelCompileError) return error.problems;
    throw error;
  }
  return 'none';
};

describe('values', () => {
  it.each<[source: string, value: unknown]>([
    ['1 + 2 * 3', 7n],
    ['-5 % 3', -2n],
    ['7 / 2', 3n],
    ['1.5 + 2.0', 3.5],
    ['x > 3 ? "a" : "b"', 'a'],
    ['1.0 < x', true],
    ['s.startsWith("ab") && size(s) == 3', true],
    ['"ä😀".size()', 2n],
    ['r"\\d" == "\\\\d"', true],
    ['b"abc" == bytes("abc")', true],
    ['{"a": 1, "b": 2}["b"]', 2n],
    ['[1, 2][5]', 'error: index out of bounds: 5'],
    ['m.b', 'error: no such key: b'],
    ['has(m.a) && !has(m.b)', true],
    ['1 in l && !("z" in m)', true],
    ['type(x) == int && type(s) == string', true],
    ['9223372036854775807 + 1', 'error: integer overflow'],
    ['1 / 0', 'error: division by zero'],
    ['false && 1 / 0 == 1', false],
    ['1 / 0 == 1 || true', true],
    ['d.a == 1', 'error: no such key: a'],
    ['m.b == 1 && m.c == 1', 'error: no such key: b'],
    ['url("x:y").getHost() == ""', true],
    ['has(d.a)', false],
    ['dyn(l).a == 1', "error: unsupported index type 'string' in list"],
    ['int("42") + int(1.9)', 43n],
    ['string(1.5) + string(true)', '1.5true'],
    ['duration("90s").getMinutes()', 1n],
    ['string(duration("1h30m"))', '5400s'],
    ['timestamp("2024-05-06T07:08:09Z").getDayOfMonth()', 5n],
    ['timestamp("2024-05-06T07:08:09Z") - timestamp("2024-05-06T07:08:00Z") == duration("9s")', true],
  ])('%s', (source, value) => {
    expect(evaluate(source)).toEqual(value);
  });
});

describe('loops', () => {
  it.each([
    ['l.all(i, i > 0)', true],
    ['l.exists(i, i == 2)', true],
    ['l.exists_one(i, i > 1)', false],
    ['l.map(i, i * 2)', [2n, 4n, 6n]],
    ['l.map(i, i > 1, i * 2)', [4n, 6n]],
    ['l.filter(i, i > 1)', [2n, 3n]],
    ['m.all(k, m[k] == 1)', true],
    ['l.all(i, v, v == i + 1)', true],
    ['l.transformList(i, v, i + v)', [1n, 3n, 5n]],
    ['l.transformMap(i, v, v * v)[2]', 9n],
    ['l.exists(i, 1 / (i - 1) > 0)', true],
    ['l.all(i, 1 / (i - 1) > 0)', false],
    ['l.all(i, l.exists(j, j == i))', true],
  ])('%s', (source, value) => {
    expect(evaluate(source)).toEqual(value);
  });
});

describe('libraries', () => {
  it.each([
    ['"abc".charAt(1) + "a,b".split(",").join("-")', 'ba-b'],
    ['"hello".replace("l", "L", 1)', 'heLlo'],
    ['"abc".substring(1, 2) + " x ".trim() + "A".lowerAscii()', 'bxa'],
    ['"zzz".substring(5)', 'error: index out of range: 5'],
    ['"%s-%d-%.1f".format(["a", 3, 1.25])', 'a-3-1.2'],
    ['"%f|%.0f|%.2e".format([12345678.9, 2.5, 0.00125])', '12,345,678.900000|2|1.25 × 10⁻⁰³'],
    ['"%s".format([["a", 1.5, b"x", {"b": null, "a": [true]}]])', '["a", 1.500000, b"x", {"a":[true], "b":null}]'],
    ['"%s".format([[duration("90s"), 1u, type(1)]])', '[duration("90s"), 1, int]'],
    [
      '"%d".format(dyn([1.5, "a"]))',
      'error: error during formatting: decimal clause can only be used on integers, was given double',
    ],
    ['"%s %".format(dyn([1]))', 'error: index 1 out of range'],
    ['"%f".format(["Infinity"])', '∞'],
    ['[3, 1, 2].sort() == [1, 2, 3] && [1, 2, 3].sum() == 6 && [1, 2].isSorted()', true],
    ['[[1], [2]].flatten() == [1, 2] && [1, 1].distinct() == [1] && lists.range(2) == [0, 1]', true],
    ['sets.contains([1, 2], [2]) && sets.equivalent([1, 1], [1]) && !sets.intersects([1], [2])', true],
    ['"x42y43".find("[0-9]+") + string("x42y43".findAll("[0-9]+").size())', '422'],
    ['url("https://a.example.com:80/x?k=v").getHostname()', 'a.example.com'],
    ['url("https://example.com/x?k=v&k=w").getQuery()["k"].size()', 2n],
    ['isURL("not a url")', false],
    ['quantity("1Gi").add(quantity("1Gi")).compareTo(quantity("2Gi"))', 0n],
    [
      'quantity("lots")',
      "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    ['ip("127.0.0.1").isLoopback() && ip("::1").family() == 6 && !isIP("1.2.3")', true],
    ['cidr("10.0.0.0/8").containsIP("10.1.2.3") && cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")', true],
    ['cidr("192.168.1.5/24").masked() == cidr("192.168.1.0/24")', true],
    ['format.dns1123Label().validate("Bad Name").hasValue()', true],
    ['format.named("nothing").hasValue()', false],
    ['semver("1.2.3").isGreaterThan(semver("1.2.3-alpha")) && isSemver("v1.0", true) && !isSemver("v1.0")', true],
    ['m.?a.orValue(9) + m.?z.orValue(9)', 10n],
    ['m[?"z"].hasValue()', false],
    ['optional.of(3).optMap(v, v + 1).value()', 4n],
    ['[?m.?a, ?m.?z].size()', 1n],
  ])('%s', (source, value) => {
    expect(evaluate(source)).toEqual(value);
  });
});

describe('expressions that do not compile', () => {
  const EXPRESSION =
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

  it.each([
    [
      '"%d".format(["a"])',
      '1:14: error during formatting: decimal clause can only be used on integers, was given string',
    ],
    ['"%d".format([])', '1:12: index 0 out of range'],
    ['"a".format([1])', '1:11: too many arguments supplied to string.format (expected 0, got 1)'],
    ['s ==', `1:5: Syntax error: mismatched input '<EOF>' expecting ${EXPRESSION}`],
    ['s.', "1:3: Syntax error: no viable alternative at input '.'"],
    ['unknown == 1', "1:1: undeclared reference to 'unknown' (in container '')"],
    ['s > 5', "1:3: found no matching overload for '_>_' applied to '(string, int)'"],
    ['s.startsWith(5)', "1:13: found no matching overload for 'startsWith' applied to 'string.(int)'"],
    ['s.frob()', "1:7: undeclared reference to 'frob' (in container '')"],
    ['s == null', "1:3: found no matching overload for '_==_' applied to '(string, null)'"],
    ['[1, "a"]', "1:5: expected type 'int' but found 'string'"],
    ['[1, dyn(2)]', "1:8: expected type 'int' but found 'dyn'"],
    ['{"a": dyn(1), "b": 1}', "1:20: expected type 'dyn' but found 'int'"],
    ['[string, int]', "1:10: expected type 'type(string)' but found 'type(int)'"],
    ['[timestamp("2020-01-01T00:00:00Z"), null]', "1:37: expected type 'timestamp' but found 'null'"],
    ['int == 1', "1:5: found no matching overload for '_==_' applied to '(type(int), int)'"],
    ['type(quantity("1")) == kubernetes.Quantity', "1:24: undeclared reference to 'kubernetes' (in container '')"],
    ['s.field', "1:2: type 'string' does not support field selection"],
    ['l.all(1, true)', '1:7: argument must be a simple name'],
    ['has(s)', '1:5: invalid argument to has() macro'],
    [
      'x.all(y, true)',
      "1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    ['s.matches("(")', '1:11: invalid matches argument'],
    ['duration("soon") > duration("1h")', '1:10: invalid duration argument'],
    ['math.greatest(x, 5) == 5', "1:1: undeclared reference to 'math' (in container '')"],
  ])('%s', (source, expected) => {
    expect(problems(source).split('\n')[0]).toBe(`ERROR: <input>:${expected}`);
  });

  it.each([
    [
      "'",
      [
        "1:1: Syntax error: token recognition error at: '''",
        `1:2: Syntax error: mismatched input '<EOF>' expecting ${EXPRESSION}`,
      ],
    ],
    [
      "s == 'open",
      [
        "1:6: Syntax error: token recognition error at: ''open'",
        `1:11: Syntax error: mismatched input '<EOF>' expecting ${EXPRESSION}`,
      ],
    ],
    ['s == # "a"', ["1:6: Syntax error: token recognition error at: '#'"]],
    [
      'true & true',
      [
        "1:6: Syntax error: token recognition error at: '& '",
        "1:8: Syntax error: extraneous input 'true' expecting <EOF>",
      ],
    ],
  ])('%s has more than one fault', (source, expected) => {
    expect(
      problems(source)
        .split('\n')
        .filter((line) => line.startsWith('ERROR')),
    ).toEqual(expected.map((problem) => `ERROR: <input>:${problem}`));
  });

  it('does not count faults without end', () => {
    expect(problems('#'.repeat(90_000)).split('ERROR').length).toBeLessThan(50);
  });

  it('shows the line and the place', () => {
    expect(problems('x == 1 &&\n  s > 5')).toBe(
      "ERROR: <input>:2:5: found no matching overload for '_>_' applied to '(string, int)'\n |   s > 5\n | ....^",
    );
  });

  it('is bounded in depth', () => {
    expect(problems('('.repeat(5000))).toContain('recursion limit exceeded');
    expect(problems(`[${'['.repeat(5000)}`)).toContain('recursion limit exceeded');
    expect(problems(`1${' + 1'.repeat(5000)}`)).toContain('recursion limit exceeded');
    expect(problems('x'.repeat(200_000))).toContain('exceeds limit');
  });
});

describe('costs', () => {
  const list = Array.from({ length: 2000 }, (_, i) => BigInt(i));
  const run = (source: string): { cost: number; error?: Error } =>
    compile(source, new Environment({ variables: { l: t.listOf(t.INT) } })).program.run(() => list, 1_000_000);

  it('grow with the evaluated operations', () => {
    expect(run('l.all(a, a >= 0)').cost).toBeLessThan(run('l.all(a, a >= 0 && a < 5000)').cost);
  });

  it('stop expressions that would run too long', () => {
    const { error, cost } = run('l.all(a, l.all(b, l.all(c, a + b + c >= 0)))');
    expect(error?.message).toBe('operation cancelled: actual cost limit exceeded');
    expect(cost).toBeLessThan(1_001_000);
  });
});
