/** The certificates.k8s.io group, v1alpha1: trust bundles before v1beta1. */
import { deprecatedSince, inVersion, kindsOf } from '../declare.ts';
import { certificatesV1beta1 } from './v1beta1.ts';

export const certificatesV1alpha1 = inVersion(certificatesV1beta1, 'v1alpha1', {
  kinds: deprecatedSince('1.34', kindsOf(certificatesV1beta1, ['ClusterTrustBundle'])),
});
