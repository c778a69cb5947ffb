import type { LabelSelector } from '../../api/generated/meta-v1.ts';

interface Selectors {
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
}

/** Webhooks and policies select everything unless told otherwise. */
export const defaultSelectors = ({ namespaceSelector = {}, objectSelector = {} }: Selectors): Selectors => ({
  namespaceSelector,
  objectSelector,
});
