/** Validation of the discovery group: EndpointSlices. */
import type { KindValidation } from '../kind-validation.ts';
import { endpointSlice } from './endpoint-slice.ts';

export const discoveryValidations: Readonly<Record<string, KindValidation>> = {
  'discovery.k8s.io/endpointslices': endpointSlice,
};
