/** Defaults of the group admissionregistration.k8s.io. */
import type { LabelSelector } from '../../api/generated/meta-v1.ts';

interface Selectors {
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
}

/** Webhooks and policies select all objects by default. */
export const defaultSelectors = ({ namespaceSelector = {}, objectSelector = {} }: Selectors): Selectors => ({
  namespaceSelector,
  objectSelector,
});
