/** Validation of the admissionregistration group: webhook configurations, and policies with their bindings. */
import type { KindValidation } from '../kind-validation.ts';
import { mutatingAdmissionPolicy, mutatingAdmissionPolicyBinding } from './mutating-admission-policy.ts';
import { validatingAdmissionPolicy, validatingAdmissionPolicyBinding } from './validating-admission-policy.ts';
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from './webhook-configuration.ts';

const GROUP = 'admissionregistration.k8s.io';

export const admissionregistrationValidations: Readonly<Record<string, KindValidation>> = {
  [`${GROUP}/mutatingadmissionpolicies`]: mutatingAdmissionPolicy,
  [`${GROUP}/mutatingadmissionpolicybindings`]: mutatingAdmissionPolicyBinding,
  [`${GROUP}/mutatingwebhookconfigurations`]: mutatingWebhookConfiguration,
  [`${GROUP}/validatingadmissionpolicies`]: validatingAdmissionPolicy,
  [`${GROUP}/validatingadmissionpolicybindings`]: validatingAdmissionPolicyBinding,
  [`${GROUP}/validatingwebhookconfigurations`]: validatingWebhookConfiguration,
};
