/**
 * Label and field selectors: the syntax of list and watch parameters, the LabelSelector objects of the API, matching, and the
 * canonical text.
 */
export { fieldEquals, type FieldRequirement, parseFieldSelector } from './field-selector.ts';
export {
  EVERYTHING,
  type LabelOperator,
  LabelRequirement,
  LabelSelectorMatcher,
  NOTHING,
  selectorFromLabels,
} from './label-selector.ts';
export { formatLabelSelector, labelSelectorAsSelector } from './label-selector-object.ts';
export { parseLabelSelector } from './parse-label-selector.ts';
