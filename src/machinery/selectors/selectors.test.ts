import { describe, expect, it } from 'vitest';
import { StatusError } from '../errors/status.ts';
import {
  EVERYTHING,
  formatLabelSelector,
  labelSelectorAsSelector,
  NOTHING,
  parseFieldSelector,
  parseLabelSelector,
  selectorFromLabels,
} from './index.ts';

describe('label selector text', () => {
  it.each([
    ['', ''],
    ['a', 'a'],
    ['!a', '!a'],
    ['a=b', 'a=b'],
    ['a==b', 'a==b'],
    ['a!=b', 'a!=b'],
    ['a=', 'a='],
    ['a=,b', 'a=,b'],
    ['b=1,a=2', 'a=2,b=1'],
    ['a in (y,x)', 'a in (x,y)'],
    ['a notin (x)', 'a notin (x)'],
    ['a in ()', 'a in ()'],
    ['a in (,x)', 'a in (,x)'],
    ['a in (x,,y)', 'a in (,x,y)'],
    ['a>1', 'a>1'],
    ['a < 5', 'a<5'],
    ['example.com/a = b', 'example.com/a=b'],
    [' a , b ', 'a,b'],
    ['in=in', 'in=in'],
    ['a in (in,notin)', 'a in (in,notin)'],
  ])('%j is %j', (text, canonical) => {
    const selector = parseLabelSelector(text);
    expect(selector.toString()).toBe(canonical);
    expect(parseLabelSelector(canonical).toString()).toBe(canonical);
    expect(selector.isEmpty).toBe(canonical === '');
  });

  const keySyntax =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  it.each([
    ['=b', "found '=', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a,,b', "found ',', expected: identifier after ','"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (=', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    [
      'a>b',
      "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ['-a', `unable to parse requirement: <nil>: Invalid value: "-a": ${keySyntax}`],
    [
      `a=${'x'.repeat(64)}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`,
    ],
  ])("%j is refused with upstream's message", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message);
    expect(() => parseLabelSelector(text)).toThrow(StatusError);
  });

  it.each([
    ['a=1', { a: '1' }, true],
    ['a=1', { a: '2' }, false],
    ['a=1', {}, false],
    ['a!=1', {}, true],
    ['a!=1', { a: '1' }, false],
    ['a in (1,2)', { a: '2' }, true],
    ['a notin (1,2)', { a: '2' }, false],
    ['a notin (1,2)', {}, true],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['a>1', { a: '2' }, true],
    ['a>1', { a: 'x' }, false],
    ['a<1', { a: '0' }, true],
    ['a>9007199254740992', { a: '9007199254740993' }, true],
    ['a=1,b=2', { a: '1' }, false],
    ['constructor', {}, false],
  ])('%s matches %j: %s', (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels as Record<string, string>)).toBe(expected);
  });

  it('finds the value that a label must have', () => {
    expect(parseLabelSelector('a=1,b!=2').requiresExactMatch('a')).toBe('1');
    expect(parseLabelSelector('a in (1,2)').requiresExactMatch('a')).toBeUndefined();
  });
});

describe('LabelSelector objects', () => {
  it.each([
    ['nothing', undefined, '', false],
    ['everything', {}, '', true],
    ['labels', { matchLabels: { b: '1', a: '2' } }, 'a=2,b=1', false],
    [
      'expressions',
      {
        matchExpressions: [
          { key: 'a', operator: 'NotIn' as const, values: ['y', 'x'] },
          { key: 'b', operator: 'DoesNotExist' as const },
        ],
      },
      'a notin (x,y),!b',
      true,
    ],
  ])('%s', (_, selector, text, matchesNoLabels) => {
    expect(labelSelectorAsSelector(selector).toString()).toBe(text);
    expect(labelSelectorAsSelector(selector).matches(undefined)).toBe(matchesNoLabels);
  });

  it('refuses operators that it does not know', () => {
    expect(() => labelSelectorAsSelector({ matchExpressions: [{ key: 'a', operator: 'Near' as 'In' }] })).toThrow(
      '"Near" is not a valid label selector operator',
    );
    expect(() => labelSelectorAsSelector({ matchExpressions: [{ key: 'a', operator: 'In' }] })).toThrow(
      "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
    );
  });

  it('has a text for tables', () => {
    expect(formatLabelSelector(undefined)).toBe('<none>');
    expect(formatLabelSelector({ matchLabels: { a: 'b' } })).toBe('a=b');
    expect(formatLabelSelector({ matchExpressions: [{ key: '-', operator: 'Exists' }] })).toBe('<error>');
  });

  it('accepts label maps', () => {
    expect(selectorFromLabels({ app: 'web' }).matches({ app: 'web', x: 'y' })).toBe(true);
    expect(selectorFromLabels(undefined).isEmpty).toBe(true);
    expect(EVERYTHING.isEmpty).toBe(true);
    expect(NOTHING.isEmpty).toBe(false);
  });
});

describe('field selectors', () => {
  it.each([
    ['', ''],
    ['metadata.name=a', 'metadata.name=a'],
    ['metadata.name==a', 'metadata.name=a'],
    ['b=1,a!=2', 'a!=2,b=1'],
    ['a=x\\,y', 'a=x\\,y'],
    ['a=x\\=y\\\\z', 'a=x\\=y\\\\z'],
    ['a=,', 'a='],
    ['=', ''],
    ['!=,a=b', 'a=b'],
  ])('%j is %j', (text, canonical) => {
    expect(parseFieldSelector(text).toString()).toBe(canonical);
    expect(parseFieldSelector(text).isEmpty).toBe(canonical === '');
  });

  it.each([
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\z', 'invalid field selector: invalid escape sequence: \\z'],
    ['a=\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('%j is refused', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(message);
  });

  it('matches by reading fields', () => {
    const fields: Record<string, string> = { 'metadata.name': 'a', 'spec.nodeName': '' };
    const read = (field: string): string => fields[field] ?? '';
    expect(parseFieldSelector('metadata.name=a').matches(read)).toBe(true);
    expect(parseFieldSelector('metadata.name=a,spec.nodeName!=').matches(read)).toBe(false);
    expect(parseFieldSelector('spec.nodeName=').requiresExactMatch('spec.nodeName')).toBe('');
  });
});
