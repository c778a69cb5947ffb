import { describe, expect, it } from 'vitest';
import {
  difference,
  eachPath,
  intersection,
  parseFieldSet,
  pathText,
  setOfPaths,
  union,
  type FieldSet,
} from './field-set.ts';

const set = (text: string): FieldSet => JSON.parse(text) as FieldSet;
const text = (fields: FieldSet | undefined): string | undefined => fields && JSON.stringify(fields);

describe('canonical form', () => {
  it.each<[string, string, string | undefined]>([
    ['sorts fields', '{"f:b":{},"f:a":{}}', '{"f:a":{},"f:b":{}}'],
    [
      'fields before items before values before indexes',
      '{"i:0":{},"v:1":{},"k:{\\"a\\":1}":{},"f:z":{}}',
      '{"f:z":{},"k:{\\"a\\":1}":{},"v:1":{},"i:0":{}}',
    ],
    [
      'sorts items by their values',
      '{"f:p":{"k:{\\"port\\":443}":{},"k:{\\"port\\":80}":{}}}',
      '{"f:p":{"k:{\\"port\\":80}":{},"k:{\\"port\\":443}":{}}}',
    ],
    [
      'sorts the keys of an item',
      '{"f:p":{"k:{\\"protocol\\":\\"TCP\\", \\"port\\":80}":{}}}',
      '{"f:p":{"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{}}}',
    ],
    ['self comes first', '{"f:a":{"f:b":{},".":{}}}', '{"f:a":{".":{},"f:b":{}}}'],
    ['self alone is a leaf', '{"f:a":{".":{}}}', '{"f:a":{}}'],
    ['leaves out kinds that are not known', '{"x:1":{},"f:a":{}}', '{"f:a":{}}'],
    ['nothing', '{}', undefined],
  ])('%s', (_name, given, expected) => {
    expect(text(parseFieldSet(JSON.parse(given)))).toBe(expected);
  });

  it.each(['{"data":{}}', '{"f":{}}', '{"f:a":1}', '{"k:[1]":{}}', '{"k:x":{}}', '{"i:x":{}}', '[]', '"x"'])(
    'refuses %s',
    (given) => {
      expect(() => parseFieldSet(JSON.parse(given))).toThrow();
    },
  );
});

describe('operations', () => {
  const a = set('{"f:m":{"f:l":{".":{},"f:x":{}}},"f:s":{}}');
  it.each<[string, string | undefined, string | undefined]>([
    [
      'union adds in order',
      text(union(a, set('{"f:m":{"f:a":{}},"f:n":{}}'))),
      '{"f:m":{"f:a":{},"f:l":{".":{},"f:x":{}}},"f:n":{},"f:s":{}}',
    ],
    [
      'union makes a parent a member',
      text(union(set('{"f:s":{"f:a":{}}}'), set('{"f:s":{}}'))),
      '{"f:s":{".":{},"f:a":{}}}',
    ],
    ['difference takes a leaf', text(difference(a, set('{"f:s":{}}'))), '{"f:m":{"f:l":{".":{},"f:x":{}}}}'],
    [
      'difference leaves the parent',
      text(difference(a, set('{"f:m":{"f:l":{"f:x":{}}}}'))),
      '{"f:m":{"f:l":{}},"f:s":{}}',
    ],
    [
      'difference of a parent leaves what is below',
      text(difference(a, set('{"f:m":{"f:l":{}}}'))),
      '{"f:m":{"f:l":{"f:x":{}}},"f:s":{}}',
    ],
    ['difference takes all', text(difference(a, a)), undefined],
    [
      'intersection',
      text(intersection(a, set('{"f:m":{"f:l":{"f:x":{},"f:y":{}}},"f:s":{"f:t":{}}}'))),
      '{"f:m":{"f:l":{"f:x":{}}}}',
    ],
    ['of paths', text(setOfPaths([['f:b', 'f:c'], ['f:a'], ['f:b']])), '{"f:a":{},"f:b":{".":{},"f:c":{}}}'],
  ])('%s', (_name, got, expected) => {
    expect(got).toBe(expected);
  });

  it('returns the same set when nothing changed', () => {
    expect(union(a, set('{"f:s":{}}'))).toBe(a);
    expect(difference(a, set('{"f:other":{}}'))).toBe(a);
  });

  it('lists paths, parents first', () => {
    const paths: string[] = [];
    eachPath(
      set('{"f:a":{".":{},"k:{\\"name\\":\\"x\\",\\"port\\":80}":{".":{},"f:i":{}}},"f:b":{"v:\\"q\\"":{}},"f:c":{}}'),
      (path) => paths.push(pathText(path)),
    );
    expect(paths).toEqual(['.a', '.c', '.a[name="x",port=80]', '.a[name="x",port=80].i', '.b[="q"]']);
  });
});
