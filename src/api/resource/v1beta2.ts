/** The resource.k8s.io group, v1beta2: the kinds of v1 with the same fields, and device taint rules. */
import { deprecatedSince, inVersion } from '../declare.ts';
import { resourceV1 } from './v1.ts';
import { deviceTaintRule } from './v1alpha3.ts';

export const resourceV1beta2 = inVersion(resourceV1, 'v1beta2', {
  kinds: [...deprecatedSince('1.36', resourceV1.kinds), deviceTaintRule.kind],
  messages: deviceTaintRule.messages,
});
