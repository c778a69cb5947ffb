/** The validations of all groups except the core group. */
import { admissionregistrationValidations } from './admissionregistration/index.ts';
import { apiextensionsValidations } from './apiextensions/index.ts';
import { apiregistrationValidations } from './apiregistration/index.ts';
import { apiserverinternalValidations } from './apiserverinternal/index.ts';
import { appsValidations } from './apps/index.ts';
import { authenticationBodies, authenticationValidations } from './authentication/index.ts';
import { authorizationValidations } from './authorization/index.ts';
import { autoscalingBodies, autoscalingValidations } from './autoscaling/index.ts';
import { batchValidations } from './batch/index.ts';
import { certificatesValidations } from './certificates/index.ts';
import { coordinationValidations } from './coordination/index.ts';
import { discoveryValidations } from './discovery/index.ts';
import { flowcontrolValidations } from './flowcontrol/index.ts';
import type { KindValidation } from './kind-validation.ts';
import { networkingValidations } from './networking/index.ts';
import { nodeValidations } from './node/index.ts';
import { policyBodies, policyValidations } from './policy/index.ts';
import { rbacValidations } from './rbac/index.ts';
import { resourceValidations } from './resource/index.ts';
import { schedulingValidations } from './scheduling/index.ts';
import { storageValidations } from './storage/index.ts';
import { storagemigrationValidations } from './storagemigration/index.ts';

export const groupValidations: Readonly<Record<string, KindValidation>> = {
  ...admissionregistrationValidations,
  ...appsValidations,
  ...apiextensionsValidations,
  ...apiregistrationValidations,
  ...apiserverinternalValidations,
  ...authenticationValidations,
  ...authorizationValidations,
  ...autoscalingValidations,
  ...batchValidations,
  ...certificatesValidations,
  ...coordinationValidations,
  ...discoveryValidations,
  ...flowcontrolValidations,
  ...networkingValidations,
  ...nodeValidations,
  ...policyValidations,
  ...rbacValidations,
  ...resourceValidations,
  ...schedulingValidations,
  ...storageValidations,
  ...storagemigrationValidations,
};

export const groupBodies: Readonly<Record<string, KindValidation>> = {
  ...authenticationBodies,
  ...autoscalingBodies,
  ...policyBodies,
};
