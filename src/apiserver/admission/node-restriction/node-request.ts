import type { Authorizer } from '../../authz/authorizer.ts';
import type { Registry } from '../../registry/registry.ts';
import type { AdmissionAttributes } from '../admission.ts';

/** A request of a kubelet, as the checks of NodeRestriction see it. */
export interface NodeRequest {
  readonly nodeName: string;
  readonly attributes: AdmissionAttributes;
  readonly registry: Registry;
  readonly authorizer: Authorizer;
}
