/** The networking.k8s.io group, v1beta1: kinds that became stable since. */
import { deprecatedSince, inVersion, kindsOf } from '../declare.ts';
import { networkingV1 } from './v1.ts';

export const networkingV1beta1 = inVersion(networkingV1, 'v1beta1', {
  kinds: deprecatedSince('1.34', kindsOf(networkingV1, ['IPAddress', 'ServiceCIDR'])),
});
