import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../object.ts';
import { customResourcePrinter, JsonPathError, parseJsonPath } from './index.ts';

const now = Date.parse('2026-02-01T00:00:00Z');
const object: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'a', creationTimestamp: '2026-01-31T23:59:00Z', annotations: { 'example.com/x': 'ann' } },
  spec: {
    text: 'text',
    whole: 5,
    part: 1.5,
    yes: true,
    when: '2026-01-31T00:00:00Z',
    map: { z: 1, x: 'deep' },
    list: [
      { k: 'a', v: 1 },
      { k: 'b', v: 2 },
      { k: 'c', v: 3 },
    ],
    empty: [],
    nothing: null,
  },
};

describe('JSON paths', () => {
  it.each([
    { path: '.spec.text', found: ['text'] },
    { path: '$.spec.text', found: ['text'] },
    { path: '.spec.missing', found: [] },
    { path: '.spec.text.deeper', found: [] },
    { path: '.spec.map.x', found: ['deep'] },
    { path: ".spec['map'].x", found: ['deep'] },
    { path: ".metadata.annotations['example\\.com/x']", found: ['ann'] },
    { path: '.metadata.annotations.example\\.com/x', found: ['ann'] },
    { path: '.spec.list[0].k', found: ['a'] },
    { path: '.spec.list[-1].k', found: ['c'] },
    { path: '.spec.list[*].k', found: ['a', 'b', 'c'] },
    { path: '.spec.list[1:].k', found: ['b', 'c'] },
    { path: '.spec.list[:-1].k', found: ['a', 'b'] },
    { path: '.spec.list[::2].k', found: ['a', 'c'] },
    { path: '.spec.list[0,2].k', found: ['a', 'c'] },
    { path: '.spec.list[?(@.k=="b")].v', found: [2] },
    { path: ".spec.list[?(@.k=='b')].v", found: [2] },
    { path: '.spec.list[?(@.v>1)].k', found: ['b', 'c'] },
    { path: '.spec.list[?(@.v<=2)].k', found: ['a', 'b'] },
    { path: '.spec.list[?(@.k!="b")].v', found: [1, 3] },
    { path: '.spec.list[?(@.missing)].k', found: [] },
    { path: '.spec.list[?(@.k)].k', found: ['a', 'b', 'c'] },
    { path: '.spec..k', found: ['a', 'b', 'c'] },
    { path: '.spec.map.*', found: ['deep', 1] },
    { path: '.spec.nothing', found: [null] },
  ])('$path', ({ path, found }) => {
    expect(parseJsonPath(path).find(object)).toEqual(found);
  });

  it.each(['.a[', '.a[x]', '.a[?(@.b==1]', '.a....b', '%', 'a', '.a["unclosed]'])('refuses %s', (path) => {
    expect(() => parseJsonPath(path)).toThrow(JsonPathError);
  });

  it.each(['.spec.list[7]', '.spec.text[0]', '.spec.text[?(@.a)]', '.spec.list[?(@.k<1)]'])(
    'fails on the object: %s',
    (path) => {
      expect(() => parseJsonPath(path).find(object)).toThrow(JsonPathError);
    },
  );
});

describe('custom resources', () => {
  it('show their age when they have no columns', () => {
    const printer = customResourcePrinter([]);
    expect(printer.columns.map((column) => column.name)).toEqual(['Name', 'Age']);
    expect(printer.cells(object, now)).toEqual(['a', '60s']);
  });

  it('report the path of a column', () => {
    expect(customResourcePrinter([{ name: 'N', type: 'string', jsonPath: '.spec.text' }]).columns[1]).toEqual({
      name: 'N',
      type: 'string',
      format: '',
      description: 'Custom resource definition column (in JSONPath format): .spec.text',
      priority: 0,
    });
  });

  it.each([
    { type: 'string', jsonPath: '.spec.text', cell: 'text' },
    { type: 'string', jsonPath: '.spec.part', cell: '1.5' },
    { type: 'string', jsonPath: '.spec.map', cell: '{"x":"deep","z":1}' },
    { type: 'string', jsonPath: '.spec.empty', cell: '[]' },
    { type: 'string', jsonPath: '.spec.list[*].k', cell: 'a' },
    { type: 'string', jsonPath: '.spec.list[9].k', cell: null },
    { type: 'string', jsonPath: '.spec.missing', cell: null },
    { type: 'integer', jsonPath: '.spec.whole', cell: 5 },
    { type: 'integer', jsonPath: '.spec.part', cell: 1 },
    { type: 'integer', jsonPath: '.spec.text', cell: null },
    { type: 'integer', jsonPath: '.spec.nothing', cell: null },
    { type: 'number', jsonPath: '.spec.part', cell: 1.5 },
    { type: 'boolean', jsonPath: '.spec.yes', cell: true },
    { type: 'boolean', jsonPath: '.spec.text', cell: null },
    { type: 'date', jsonPath: '.spec.when', cell: '24h' },
    { type: 'date', jsonPath: '.spec.text', cell: '<invalid>' },
    { type: 'date', jsonPath: '.spec.whole', cell: null },
  ])('show $jsonPath as $type', ({ type, jsonPath, cell }) => {
    expect(customResourcePrinter([{ name: 'C', type, jsonPath }]).cells(object, now)).toEqual(['a', cell]);
  });
});
