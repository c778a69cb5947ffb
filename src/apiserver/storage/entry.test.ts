import { expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/index.ts';
import { encodeForStorage } from './encode-for-storage.ts';
import { Entry } from './entry.ts';

const stored: KubeObject = { kind: 'Event', apiVersion: 'v1', metadata: { namespace: 'default', name: 'e' } };
const place = { key: '/registry/events/default/e', namespace: 'default', name: 'e' };
const convert = (object: KubeObject): KubeObject => ({ ...object, apiVersion: 'events.k8s.io/v1' });

it('keeps a view for all who ask again, but not one that is made for a single response', () => {
  const entry = Entry.fromValue(place, encodeForStorage(stored), 7, stored);
  expect(JSON.parse(entry.viewOnce(convert).bytes.toString())).toEqual({
    ...{ kind: 'Event', apiVersion: 'events.k8s.io/v1' },
    metadata: { resourceVersion: '7', namespace: 'default', name: 'e' },
  });
  expect(entry.hasView(convert)).toBe(false);
  const kept = entry.view(convert);
  expect(entry.hasView(convert)).toBe(true);
  expect(entry.viewOnce(convert)).toBe(kept);
});
