/** DenyServiceExternalIPs: rejects Services that add external IPs; those that a Service already has may stay. */
import type { Service } from '../../api/generated/core-v1.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionPlugin } from './admission.ts';
import { newForbidden } from './new-forbidden.ts';
import { isForResource } from './request-objects.ts';

const addressesOf = (object: KubeObject | undefined): readonly string[] =>
  (object as (Service & KubeObject) | undefined)?.spec?.externalIPs ?? [];

export const denyServiceExternalIPs: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  operations: ['CREATE', 'UPDATE'],
  matches: (attributes) => isForResource(attributes, '', 'services') && attributes.subresource === '',
  validate(attributes) {
    const before = new Set(addressesOf(attributes.oldObject));
    if (!addressesOf(attributes.object).every((address) => before.has(address)))
      throw newForbidden(attributes, 'Use of external IPs is denied by admission control');
  },
};
