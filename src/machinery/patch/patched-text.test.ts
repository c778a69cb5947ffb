import { expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import { patchedText } from './patched-text.ts';

const CONFIG_MAP = schema.message('io.k8s.api.core.v1.ConfigMap');
const value = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { labels: { z: '1', a: '2' }, uid: 'u', name: 'n', nope: 1 },
  data: { b: '1', a: '2' },
  zz: { b: 1, a: 2 },
};

it.each([
  [
    'the objects that a merge patch goes into have sorted keys',
    { zz: { b: 1, a: 2 }, metadata: { nope: 1 } },
    '{"apiVersion":"v1","data":{"a":"2","b":"1"},"kind":"ConfigMap","metadata":{"labels":{"a":"2","z":"1"},"name":"n","nope":1,"uid":"u"},"zz":{"a":2,"b":1}}',
  ],
  [
    'all others are as they were encoded, and what a JSON patch adds as it was sent',
    [{ op: 'add', path: '/zz', value: { b: 1, a: 2 } }],
    '{"apiVersion":"v1","data":{"a":"2","b":"1"},"kind":"ConfigMap","metadata":{"name":"n","uid":"u","labels":{"a":"2","z":"1"},"nope":1},"zz":{"b":1,"a":2}}',
  ],
])('%s', (_name, patch, expected) => {
  expect(patchedText(value, patch, CONFIG_MAP)).toBe(expected);
});

it('custom resources have sorted keys everywhere', () => {
  const custom = { ...CONFIG_MAP, fullName: '' };
  expect(patchedText(value, [], custom)).toContain(
    '"metadata":{"labels":{"a":"2","z":"1"},"name":"n","nope":1,"uid":"u"}',
  );
});
