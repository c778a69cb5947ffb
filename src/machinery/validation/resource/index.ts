/** Validation of the resource group: ResourceClaims, ResourceClaimTemplates, DeviceClasses and ResourceSlices. */
import type { KindValidation } from '../kind-validation.ts';
import { deviceClass, resourceClaim, resourceClaimTemplate } from './resource-claim.ts';
import { resourceSlice } from './resource-slice.ts';

export const resourceValidations: Readonly<Record<string, KindValidation>> = {
  'resource.k8s.io/deviceclasses': deviceClass,
  'resource.k8s.io/resourceclaims': resourceClaim,
  'resource.k8s.io/resourceclaimtemplates': resourceClaimTemplate,
  'resource.k8s.io/resourceslices': resourceSlice,
};
