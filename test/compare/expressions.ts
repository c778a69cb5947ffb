/** CEL expressions from a small grammar: well typed most of the time, with wrong types, names and syntax among them. */
import type { Random } from './random.ts';

/** What can be said of a root: `self.spec`, `object.spec`. */
export interface Roots {
  readonly ints: readonly string[];
  readonly strings: readonly string[];
  readonly bools: readonly string[];
  readonly lists: readonly string[];
  readonly maps: readonly string[];
}

const DEEPEST = 3;
const STRING_CALLS = ['lowerAscii()', 'upperAscii()', 'trim()', 'substring(1)', 'charAt(0)', 'replace("a", "b")'];

const BROKEN = [
  ...[
    '',
    '1 +',
    'self ==',
    '(true',
    'true)',
    'nope',
    'self.nope.deeper',
    '1 + "a"',
    '"a" < 1',
    'foo(1)',
    'size()',
    '[1, "a"].nope()',
    '"\\q"',
    "'unterminated",
    '1 == 1 ? 2',
    '5',
    '"text"',
    'null',
    '[]',
    '{}',
  ],
  ...[
    'self',
    'object',
    'oldSelf',
    'oldObject',
    'request',
    'params',
    'variables.x',
    'has(self)',
    'has(1)',
    'all(x, true)',
    '[1].all(1, true)',
    '[1].map(x)',
    'true && 1',
    '!5',
    '-"a"',
    '1 / 0 == 1',
    '9223372036854775808 == 0',
    '1u == 1',
    '1.0 == 1',
    'b"a" == "a"',
    '// comment',
    'true // comment',
    'true;',
  ],
  ...[
    '"a".matches("[")',
    '"a".matches("(?=x)")',
    'duration("x") == duration("1s")',
    'timestamp("x") == timestamp("2020-01-01T00:00:00Z")',
    'quantity("x").isGreaterThan(quantity("1"))',
    'type(1) == int',
    'dyn(1) == "a"',
    'in',
    '1 in 2',
    'a.b.c()',
    'string(1) == 1',
    'double("x") > 1.0',
    'int("x") > 1',
  ],
];

const LIBRARIES = [
  ...[
    'isQuantity("1Gi")',
    'quantity("1Gi").compareTo(quantity("1G")) > 0',
    'quantity("1").add(quantity("500m")).asApproximateFloat() == 1.5',
    'quantity("2").sub(1).asInteger() == 1',
    'isURL("https://a/b?c=d")',
    'url("https://a:80/b").getPort() == "80"',
    'url("x:").getHost() == ""',
    'isIP("1.2.3.4")',
  ],
  ...[
    'ip("::1").family() == 6',
    'ip("127.0.0.1").isLoopback()',
    'ip.isCanonical("fd00::1")',
    'isCIDR("10.0.0.0/8")',
    'cidr("10.0.0.0/8").containsIP("10.1.1.1")',
    'cidr("10.0.0.0/8").masked() == cidr("10.0.0.0/8")',
    'cidr("10.0.0.1/8").prefixLength() == 8',
    'format.dns1123Label().validate("A").hasValue()',
  ],
  ...[
    '!format.dns1123Label().validate("a").hasValue()',
    'format.named("nope").hasValue()',
    'isSemver("1.2.3")',
    'semver("1.2.3").isLessThan(semver("1.3.0"))',
    'semver("v1.0", true).major() == 1',
    '"abc".find("[b-c]+") == "bc"',
    '"a1b2".findAll("[0-9]") == ["1","2"]',
    '[3,1,2].isSorted()',
    '[1,2,3].sum() == 6',
    '[1,2].max() == 2',
  ],
  ...[
    '["a","b"].indexOf("b") == 1',
    '[1,2,2].lastIndexOf(2) == 2',
    '"A,b".split(",").join("-").lowerAscii() == "a-b"',
    '"abc".substring(1,2) == "b"',
    '"abc".charAt(5) == "x"',
    '"a".replace("a","b",-1) == "b"',
    '" a ".trim() == "a"',
    '"%d-%s".format([1,"a"]) == "1-a"',
    '"%x".format(["a"]) == "61"',
    'strings.quote("a") == "\\"a\\""',
  ],
  ...[
    'duration("1h").getMinutes() == 60',
    'timestamp("2020-01-02T03:04:05Z").getFullYear() == 2020',
    'timestamp("2020-01-02T03:04:05Z") - duration("1h") < timestamp("2021-01-01T00:00:00Z")',
    'sets.contains([1,2],[1])',
    'sets.equivalent([1],[1,1])',
    'sets.intersects([1],[2])',
    'optional.of(1).hasValue()',
    'optional.none().orValue(1) == 1',
  ],
  ...[
    '{"a":1}.?a.orValue(2) == 1',
    '[1,2].transformMap(i, v, v).size() == 2',
    '{"a":1}.all(k, v, v == 1)',
    '{"a":1}.transformList(k, v, k) == ["a"]',
    '[1,2].exists_one(x, x > 1)',
    '[1].map(x, x > 0, x * 2) == [2]',
    'cel.bind(x, 1, x == 1)',
    'math.greatest(1,2) == 2',
    'base64.encode(b"a") == "YQ=="',
    '"abc".reverse() == "cba"',
    'b"abc".size() == 3',
  ],
];

export function someExpression(random: Random, roots: Roots): string {
  const kind = random.next();
  if (kind < 0.12) return random.pick(BROKEN);
  return kind < 0.3 ? random.pick(LIBRARIES) : bool(random, roots, 0);
}

function bool(random: Random, roots: Roots, depth: number): string {
  const int = (): string => integer(random, roots, depth + 1);
  const text = (): string => string(random, roots, depth + 1);
  const inner = (): string =>
    depth >= DEEPEST ? random.pick([...roots.bools, 'true', 'false']) : bool(random, roots, depth + 1);
  const list = (): string => random.pick(roots.lists);
  const map = (): string => random.pick(roots.maps);
  return random.pick([
    () => `${int()} ${random.pick(['==', '!=', '<', '<=', '>', '>='])} ${int()}`,
    () => `${text()} ${random.pick(['==', '!=', '<', '>'])} ${text()}`,
    () => `${text()}.${random.pick(['startsWith', 'endsWith', 'contains', 'matches'])}(${text()})`,
    () => `(${inner()} ${random.pick(['&&', '||', '=='])} ${inner()})`,
    () => `!(${inner()})`,
    () => `(${inner()} ? ${inner()} : ${inner()})`,
    () => `has(${random.pick([...roots.ints, ...roots.strings, ...roots.bools])})`,
    () => `${list()}.${random.pick(['all', 'exists', 'exists_one'])}(x, x ${random.pick(['==', '!='])} ${text()})`,
    () => `${text()} in ${random.pick([list(), map()])}`,
    () => `${map()}.${random.pick(['all', 'exists'])}(k, ${map()}[k] != k)`,
    () => `${list()}.map(x, x + "a").size() > ${int()}`,
    () => random.pick([...roots.bools, 'true']),
  ])();
}

function integer(random: Random, roots: Roots, depth: number): string {
  if (depth >= DEEPEST) return random.pick([...roots.ints, '0', '1', '-1', '5']);
  const inner = (): string => integer(random, roots, depth + 1);
  return random.pick([
    () => random.pick(roots.ints),
    () => random.pick(['0', '1', '10', '-3', '0x10', '9223372036854775807']),
    () => `(${inner()} ${random.pick(['+', '-', '*', '/', '%'])} ${inner()})`,
    () => `size(${random.pick([...roots.lists, ...roots.strings, ...roots.maps])})`,
    () => `int(${string(random, roots, depth + 1)})`,
    () => `${random.pick(roots.lists)}.size()`,
  ])();
}

function string(random: Random, roots: Roots, depth: number): string {
  if (depth >= DEEPEST) return random.pick([...roots.strings, '"a"', "'b'"]);
  return random.pick([
    () => random.pick(roots.strings),
    () => random.pick(['"a"', "'red'", '""', 'r"\\d+"', '"ü"', '"^[a-z]+$"']),
    () => `(${string(random, roots, depth + 1)} + ${string(random, roots, depth + 1)})`,
    () => `string(${integer(random, roots, depth + 1)})`,
    () => `${random.pick(roots.lists)}[0]`,
    () => `${random.pick(roots.maps)}["a"]`,
    () => `${random.pick(roots.strings)}.${random.pick(STRING_CALLS)}`,
  ])();
}
