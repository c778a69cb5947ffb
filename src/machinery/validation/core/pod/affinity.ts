/** Validates node affinity, pod affinity and pod anti-affinity. */
import type {
  Affinity,
  NodeAffinity,
  PodAffinity,
  PodAffinityTerm,
  PreferredSchedulingTerm,
} from '../../../../api/generated/core-v1.ts';
import type { LabelSelector } from '../../../../api/generated/meta-v1.ts';
import { type FieldError, forbiddenField, invalidValue, type Path, required } from '../../../errors/index.ts';
import { nameIsDnsLabel } from '../../../names/index.ts';
import { validateLabelName, validateLabelSelector } from '../../label-selector.ts';
import { validateNodeSelector, validateNodeSelectorTerm } from '../node/node-selector.ts';
import type { PodRules } from './pod-rules.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const ANY_VALUE = { invalidValues: true };

export function validateAffinity(errors: FieldError[], affinity: Affinity, at: Path, rules: PodRules): void {
  if (affinity.nodeAffinity) validateNodeAffinity(errors, affinity.nodeAffinity, at.child('nodeAffinity'), rules);
  if (affinity.podAffinity) validatePodAffinity(errors, affinity.podAffinity, at.child('podAffinity'), rules);
  if (affinity.podAntiAffinity)
    validatePodAffinity(errors, affinity.podAntiAffinity, at.child('podAntiAffinity'), rules);
}

function validateNodeAffinity(errors: FieldError[], affinity: NodeAffinity, at: Path, rules: PodRules): void {
  const selector = affinity[REQUIRED];
  if (selector)
    validateNodeSelector(errors, selector, at.child(REQUIRED), { invalidValues: rules.allowInvalidNodeAffinityValues });
  const preferred = affinity[PREFERRED];
  if (preferred) validatePreferredSchedulingTerms(errors, preferred, at.child(PREFERRED));
}

function validatePreferredSchedulingTerms(
  errors: FieldError[],
  terms: readonly PreferredSchedulingTerm[],
  at: Path,
): void {
  for (const [i, term] of terms.entries()) {
    validateWeight(errors, term.weight ?? 0, at.index(i));
    validateNodeSelectorTerm(errors, term.preference ?? {}, at.index(i).child('preference'), ANY_VALUE);
  }
}

function validateWeight(errors: FieldError[], weight: number, at: Path): void {
  if (weight <= 0 || weight > 100) errors.push(invalidValue(at.child('weight'), weight, 'must be in the range 1-100'));
}

function validatePodAffinity(errors: FieldError[], affinity: PodAffinity, at: Path, rules: PodRules): void {
  for (const [i, term] of (affinity[REQUIRED] ?? []).entries())
    validatePodAffinityTerm(errors, term, at.child(REQUIRED).index(i), rules);
  for (const [i, { weight, podAffinityTerm }] of (affinity[PREFERRED] ?? []).entries()) {
    const here = at.child(PREFERRED).index(i);
    validateWeight(errors, weight ?? 0, here);
    validatePodAffinityTerm(errors, podAffinityTerm, here.child('podAffinityTerm'), rules);
  }
}

function validatePodAffinityTerm(errors: FieldError[], term: PodAffinityTerm, at: Path, rules: PodRules): void {
  validatePodAffinityTermSelectors(errors, term, at, rules.allowInvalidSelectorValues);
  for (const namespace of term.namespaces ?? []) {
    for (const message of nameIsDnsLabel(namespace))
      errors.push(invalidValue(at.child('namespace'), namespace, message));
  }
  validateMatchLabelKeys(errors, term, at);
  const topologyKey = term.topologyKey ?? '';
  if (topologyKey === '') errors.push(required(at.child('topologyKey'), 'can not be empty'));
  validateLabelName(errors, topologyKey, at.child('topologyKey'));
}

export function validatePodAffinityTermSelectors(
  errors: FieldError[],
  term: PodAffinityTerm,
  at: Path,
  invalidValues: boolean,
): void {
  validateLabelSelector(errors, term.labelSelector, at.child('labelSelector'), { invalidValues });
  validateLabelSelector(errors, term.namespaceSelector, at.child('namespaceSelector'), { invalidValues });
}

type MatchedLabelKeys = Pick<PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>;

/**
 * The server merges matchLabelKeys into the selector on create, so a key that is there twice was also given by the
 * user.
 */
export function validateMatchLabelKeys(errors: FieldError[], term: MatchedLabelKeys, at: Path): void {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  validateKeys(errors, matchLabelKeys, labelSelector, at.child('matchLabelKeys'));
  validateKeys(errors, mismatchLabelKeys, labelSelector, at.child('mismatchLabelKeys'));
  if (labelSelector) {
    const selected = new Set(Object.keys(labelSelector.matchLabels ?? {}));
    for (const { key } of labelSelector.matchExpressions ?? []) {
      const i = matchLabelKeys.lastIndexOf(key);
      if (i >= 0 && selected.has(key))
        errors.push(invalidValue(at.index(i), key, 'exists in both matchLabelKeys and labelSelector'));
      selected.add(key);
    }
  }
  for (const [i, key] of matchLabelKeys.entries()) {
    if (!mismatchLabelKeys.includes(key)) continue;
    errors.push(
      invalidValue(at.child('matchLabelKeys').index(i), key, 'exists in both matchLabelKeys and mismatchLabelKeys'),
    );
  }
}

function validateKeys(
  errors: FieldError[],
  keys: readonly string[],
  selector: LabelSelector | undefined,
  at: Path,
): void {
  if (keys.length === 0) return;
  if (!selector) {
    errors.push(forbiddenField(at, 'must not be specified when labelSelector is not set'));
    return;
  }
  for (const [i, key] of keys.entries()) validateLabelName(errors, key, at.index(i));
}
