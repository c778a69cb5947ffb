/** Table cells of the group admissionregistration.k8s.io. */
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../api/generated/admissionregistration-v1.ts';
import type { LabelSelector } from '../../api/generated/meta-v1.ts';
import { age, nameOf, UNSET } from './cell-text.ts';
import type { Cell } from './table-printer.ts';

export const webhookConfigurationCells = (
  configuration: MutatingWebhookConfiguration | ValidatingWebhookConfiguration,
  now: number,
): Cell[] => [nameOf(configuration), (configuration.webhooks ?? []).length, age(configuration, now)];

const paramKindText = (paramKind: { readonly apiVersion?: string; readonly kind?: string } | undefined): string =>
  paramKind ? `${paramKind.apiVersion ?? ''}/${paramKind.kind ?? ''}` : UNSET;

export const validatingAdmissionPolicyCells = (policy: ValidatingAdmissionPolicy, now: number): Cell[] => [
  nameOf(policy),
  (policy.spec?.validations ?? []).length,
  paramKindText(policy.spec?.paramKind),
  age(policy, now),
];

export const mutatingAdmissionPolicyCells = (policy: MutatingAdmissionPolicy, now: number): Cell[] => [
  nameOf(policy),
  (policy.spec?.mutations ?? []).length,
  paramKindText(policy.spec?.paramKind),
  age(policy, now),
];

export function admissionPolicyBindingCells(
  binding: ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding,
  now: number,
): Cell[] {
  const paramRef = binding.spec?.paramRef;
  let text = UNSET;
  if (paramRef?.name) text = `${paramRef.namespace || '*'}/${paramRef.name}`;
  else if (paramRef?.selector) text = goStructText(paramRef.selector);
  return [nameOf(binding), binding.spec?.policyName ?? '', text, age(binding, now)];
}

/** Upstream shows a selector as Go prints the struct. */
function goStructText(selector: LabelSelector): string {
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${(values ?? []).join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
