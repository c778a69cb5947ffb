/** Validation of the resource group: claims and their templates, device classes, slices, taint rules, pool status. */
import type { KindValidation } from '../kind-validation.ts';
import { deviceTaintRule } from './device-taint-rule.ts';
import { resourcePoolStatusRequest } from './pool-status-request.ts';
import { deviceClass, resourceClaim, resourceClaimTemplate } from './resource-claim.ts';
import { resourceSlice } from './resource-slice.ts';
import { inFormOfV1 } from './v1beta1.ts';

export const resourceValidations: Readonly<Record<string, KindValidation>> = {
  'resource.k8s.io/deviceclasses': deviceClass,
  'resource.k8s.io/devicetaintrules': deviceTaintRule,
  'resource.k8s.io/resourceclaims': resourceClaim,
  'resource.k8s.io/resourceclaimtemplates': resourceClaimTemplate,
  'resource.k8s.io/resourcepoolstatusrequests': resourcePoolStatusRequest,
  'resource.k8s.io/resourceslices': resourceSlice,
  'resource.k8s.io/v1beta1/resourceclaims': inFormOfV1(resourceClaim),
  'resource.k8s.io/v1beta1/resourceclaimtemplates': inFormOfV1(resourceClaimTemplate),
  'resource.k8s.io/v1beta1/resourceslices': inFormOfV1(resourceSlice),
};
