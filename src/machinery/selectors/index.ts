/**
 * Label and field selectors: the text grammar that list and watch take, the LabelSelector objects of the API, matching,
 * and the canonical text. Errors are in upstream's words.
 */
export {
  EVERYTHING,
  LabelRequirement,
  LabelSelectorMatcher,
  NOTHING,
  selectorFromLabels,
  type LabelOperator,
} from './label-selector.ts';
export { parseLabelSelector } from './parse-label-selector.ts';
export { formatLabelSelector, labelSelectorAsMap, labelSelectorAsSelector } from './label-selector-object.ts';
export { FieldSelector, parseFieldSelector, type FieldRequirement } from './field-selector.ts';
