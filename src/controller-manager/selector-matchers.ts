/**
 * Caches the compiled selectors of objects. Informer objects are immutable, and event handlers use the same selectors for
 * every pod that changes.
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

/** For a LabelSelector: an absent one selects nothing, an empty one everything. */
export function matcherOf(selector: LabelSelector | undefined): LabelSelectorMatcher {
  if (!selector) return NOTHING;
  let matcher = ofSelectors.get(selector);
  if (matcher === undefined) ofSelectors.set(selector, (matcher = labelSelectorAsSelector(selector)));
  return matcher;
}

/** For the selector map of Services and ReplicationControllers: an empty one selects nothing. */
export function labelsMatcherOf(labels: Readonly<Record<string, string>> | undefined): LabelSelectorMatcher {
  if (!labels) return NOTHING;
  let matcher = ofLabels.get(labels);
  if (matcher === undefined)
    ofLabels.set(labels, (matcher = Object.keys(labels).length === 0 ? NOTHING : selectorFromLabels(labels)));
  return matcher;
}

/** An owner with an empty selector is ignored, because it would adopt every pod of the namespace. */
export const selectsEverything = (selector: LabelSelector | undefined): boolean =>
  !Object.keys(selector?.matchLabels ?? {}).length && !selector?.matchExpressions?.length;
