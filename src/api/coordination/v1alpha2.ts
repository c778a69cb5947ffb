/** The coordination.k8s.io group, v1alpha2: what became v1beta1. */
import { deprecatedSince, inVersion } from '../declare.ts';
import { coordinationV1beta1 } from './v1beta1.ts';

export const coordinationV1alpha2 = inVersion(coordinationV1beta1, 'v1alpha2', {
  kinds: deprecatedSince('1.35', coordinationV1beta1.kinds),
});
