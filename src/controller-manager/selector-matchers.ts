/**
 * Matchers of the selectors that objects carry, made once for each object: objects of informers never change, and handlers ask
 * for the same selectors with every pod that changes.
 */
import type { LabelSelector } from '../api/generated/meta-v1.ts';
import {
  labelSelectorAsSelector,
  NOTHING,
  selectorFromLabels,
  type LabelSelectorMatcher,
} from '../machinery/selectors/index.ts';

const ofSelectors = new WeakMap<LabelSelector, LabelSelectorMatcher>();
const ofLabels = new WeakMap<Readonly<Record<string, string>>, LabelSelectorMatcher>();

/** Of a LabelSelector: an absent one selects nothing, an empty one everything. */
export function matcherOf(selector: LabelSelector | undefined): LabelSelectorMatcher {
  if (!selector) return NOTHING;
  let matcher = ofSelectors.get(selector);
  if (matcher === undefined) ofSelectors.set(selector, (matcher = labelSelectorAsSelector(selector)));
  return matcher;
}

/** Of the labels that Services and ReplicationControllers select by: none select nothing. */
export function labelsMatcherOf(labels: Readonly<Record<string, string>> | undefined): LabelSelectorMatcher {
  if (!labels) return NOTHING;
  let matcher = ofLabels.get(labels);
  if (matcher === undefined)
    ofLabels.set(labels, (matcher = Object.keys(labels).length === 0 ? NOTHING : selectorFromLabels(labels)));
  return matcher;
}

/** A selector without requirements would take every pod of the namespace: an owner that has one is left alone. */
export const selectsEverything = (selector: LabelSelector | undefined): boolean =>
  !Object.keys(selector?.matchLabels ?? {}).length && !selector?.matchExpressions?.length;
