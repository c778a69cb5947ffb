import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import { encodeMessage, encodeProtobuf, encodeProtobufList } from './index.ts';

const list = schema.message('io.k8s.api.core.v1.ConfigMapList');
const configMap = schema.message('io.k8s.api.core.v1.ConfigMap');
const typeMeta = { apiVersion: 'v1', kind: 'ConfigMapList' };

describe('a list joined of encoded items', () => {
  it.each([
    { name: 'none', items: [] },
    { name: 'small ones', items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' }, data: { k: 'v' } }] },
    {
      name: 'one whose length takes three bytes',
      items: [{ metadata: { name: 'c' }, data: { k: 'x'.repeat(20_000) } }],
    },
  ])('is the list encoded as a whole: $name', ({ items }) => {
    const metadata = { resourceVersion: '7', continue: 'c', remainingItemCount: 3 };
    const joined = encodeProtobufList(
      typeMeta,
      metadata,
      items.map((item) => encodeMessage(configMap, item)),
    );
    expect(joined).toEqual(encodeProtobuf(list, { metadata, items }, typeMeta));
  });
});
