/** The storage.k8s.io group, v1beta1: a kind that became stable since. */
import { deprecatedSince, inVersion, kindsOf } from '../declare.ts';
import { storageV1 } from './v1.ts';

export const storageV1beta1 = inVersion(storageV1, 'v1beta1', {
  kinds: deprecatedSince('1.34', kindsOf(storageV1, ['VolumeAttributesClass']), 'storage.k8s.io/v1'),
});
