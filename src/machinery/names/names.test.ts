import { describe, expect, it } from 'vitest';
import * as names from './names.ts';

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const qualified =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

type Check = (value: string) => readonly string[];

const rows: readonly (readonly [name: string, check: Check, value: string, messages: readonly string[]])[] = [
  ['a label', names.dns1123Label, 'a-1', []],
  ['a label may start with a digit', names.dns1123Label, '1a', []],
  ['a label has no dots', names.dns1123Label, 'a.b', ['must not contain dots']],
  ['a label has no capitals', names.dns1123Label, 'A', [label]],
  ['a label of 63', names.dns1123Label, 'a'.repeat(63), []],
  ['a label of 64', names.dns1123Label, 'a'.repeat(64), ['must be no more than 63 characters']],
  ['a label that is long and wrong', names.dns1123Label, 'A'.repeat(64), ['must be no more than 63 characters', label]],
  ['length counts bytes', names.dns1123Label, 'é'.repeat(32), ['must be no more than 63 characters', label]],
  ['a subdomain', names.dns1123Subdomain, 'a.b-c.d', []],
  ['a subdomain of 254', names.dns1123Subdomain, 'a'.repeat(254), ['must be no more than 253 characters']],
  ['a line break is no end of a name', names.dns1123Subdomain, 'a\n', names.dns1123Subdomain('A')],
  ['an RFC 1035 label starts with a letter', names.dns1035Label, '1a', names.dns1035Label('1')],
  ['an underscore in a search domain', names.dns1123SubdomainWithUnderscore, '_tcp.a_b.c', []],
  ['a wildcard', names.wildcardDns1123Subdomain, '*.a.b', []],
  ['a bare star is no wildcard', names.wildcardDns1123Subdomain, '*', names.wildcardDns1123Subdomain('x')],
  ['a key', names.qualifiedName, 'My.name_1', []],
  ['a key with a domain', names.qualifiedName, 'example.com/name', []],
  ['a key with an empty domain', names.qualifiedName, '/name', ['prefix part must be non-empty']],
  ['a key with an empty name', names.qualifiedName, 'a/', ['name part must be non-empty', qualified]],
  ['a key with a bad name', names.qualifiedName, 'a b', [qualified]],
  ['a key with a name of 64', names.qualifiedName, 'a'.repeat(64), ['name part must be no more than 63 bytes']],
  ['a key with a bad domain', names.qualifiedName, 'A_/b', [`prefix part ${names.dns1123Subdomain('A_')[0]}`]],
  [
    'a key with a domain of 254',
    names.qualifiedName,
    `${'a'.repeat(254)}/b`,
    ['prefix part must be no more than 253 bytes'],
  ],
  ['an empty label value', names.labelValue, '', []],
  ['a label value of 64', names.labelValue, 'a'.repeat(64), ['must be no more than 63 bytes']],
  ['a port name', names.portName, 'http-1', []],
  [
    'a port name of capitals',
    names.portName,
    'HTTP',
    [
      'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'must contain at least one letter (a-z)',
    ],
  ],
  ['a port name of 16', names.portName, 'p'.repeat(16), ['must be no more than 15 characters']],
  ['a port name with two hyphens', names.portName, 'a--b', ['must not contain consecutive hyphens']],
  ['a port name that ends in a hyphen', names.portName, 'a-', ['must not begin or end with a hyphen']],
  ['a percentage', names.percent, '10%', []],
  ['a number is no percentage', names.percent, '10', names.percent('x')],
  ['an environment variable may have nearly any character', names.relaxedEnvVarName, 'a b-c.1', []],
  [
    'an environment variable has no equals sign',
    names.relaxedEnvVarName,
    'a=b',
    ["a valid environment variable name must consist only of printable ASCII characters other than '='"],
  ],
  ['a config key', names.configMapKey, 'A_b-c.1', []],
  ['a config key that is a dot', names.configMapKey, '.', ["must not be '.'"]],
  ['a config key of two dots', names.configMapKey, '..', ["must not be '..'"]],
  ['a config key that starts with two dots', names.configMapKey, '..a', ["must not start with '..'"]],
  ['a hidden file as a config key', names.configMapKey, '.dockercfg', []],
  ['a path segment', names.pathSegmentName, 'a:b', []],
  [
    'a path segment with a slash and a percent sign',
    names.pathSegmentName,
    '/%',
    ["may not contain '/'", "may not contain '%'"],
  ],
  ['a path segment that is the parent', names.pathSegmentName, '..', ["may not be '..'"]],
  ['a C identifier', names.cIdentifier, '_a1', []],
  ['a header name', names.httpHeaderName, 'X-A', []],
];

describe('names', () => {
  it.each(rows)('%s', (_, check, value, messages) => {
    expect(check(value)).toEqual(messages);
  });

  it.each([
    ['a trailing dash of a generateName is harmless', 'web-', []],
    ['and so are two', 'web--', []],
    ['what stands before is checked', 'Web-', names.dns1123Subdomain('W')],
    ['a dash alone is refused', '-', names.dns1123Subdomain('-')],
  ])('%s', (_, prefix, messages) => {
    expect(names.nameIsDnsSubdomain(prefix, true)).toEqual(messages);
  });

  it('answers every right value with the same list', () => {
    expect(names.dns1123Label('a')).toBe(names.labelValue('b'));
  });
});
