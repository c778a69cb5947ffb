/** Validation of the flowcontrol group: FlowSchemas and PriorityLevelConfigurations. */
import type { KindValidation } from '../kind-validation.ts';
import { flowSchema } from './flow-schema.ts';
import { priorityLevelConfiguration } from './priority-level-configuration.ts';

export const flowcontrolValidations: Readonly<Record<string, KindValidation>> = {
  'flowcontrol.apiserver.k8s.io/flowschemas': flowSchema,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': priorityLevelConfiguration,
};
