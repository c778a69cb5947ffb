import { expect, it } from 'vitest';
import { runSteps } from '../../base/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { encodeForStorage, encodeForStorageSteps } from './encode-for-storage.ts';

const object = (kind: string): KubeObject => ({
  kind,
  apiVersion: kind === 'ControllerRevision' ? 'apps/v1' : 'v1',
  metadata: { name: 'x' },
  data: { a: '<', '10': '', '9': '' },
});

it('stores the data of a ControllerRevision as Go encodes it', () => {
  const expected =
    '{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"x"},"data":{"10":"","9":"","a":"\\u003c"}}';
  expect(encodeForStorage(object('ControllerRevision')).toString()).toBe(expected);
  expect(runSteps(encodeForStorageSteps(object('ControllerRevision'))).toString()).toBe(expected);
});

it('ignores escapes in other objects', () => {
  expect(encodeForStorage(object('ConfigMap')).toString()).toContain('"data":{"9":"","10":"","a":"<"}');
});
