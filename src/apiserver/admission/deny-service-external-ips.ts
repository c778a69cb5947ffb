/** DenyServiceExternalIPs: no Service gets external addresses that it does not have already. */
import type { Service } from '../../api/generated/core-v1.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionPlugin } from './admission.ts';
import { isFor } from './kinds.ts';
import { refuse } from './refuse.ts';

const addressesOf = (object: KubeObject | undefined): readonly string[] =>
  (object as (Service & KubeObject) | undefined)?.spec?.externalIPs ?? [];

export const denyServiceExternalIPs: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  operations: ['CREATE', 'UPDATE'],
  matches: (attributes) => isFor(attributes, '', 'services') && attributes.subresource === '',
  validate(attributes) {
    const before = new Set(addressesOf(attributes.oldObject));
    if (!addressesOf(attributes.object).every((address) => before.has(address)))
      throw refuse(attributes, 'Use of external IPs is denied by admission control');
  },
};
