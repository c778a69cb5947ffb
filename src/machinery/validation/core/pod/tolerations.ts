/** Validates tolerations of pods and taints of nodes. */
import type { Taint, Toleration } from '../../../../api/generated/core-v1.ts';
import { FieldError, forbiddenField, invalidValue, notSupported, type Path, required } from '../../../errors/index.ts';
import { labelValue } from '../../../names/index.ts';
import { semanticEqual } from '../../equality.ts';
import { goStruct } from '../../go-struct.ts';
import { validateLabelName } from '../../label-selector.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const OPERATORS = ['Equal', 'Exists'];
/**
 * The operators Lt and Gt are declared but their feature gate is off; as upstream, the error lists them as supported.
 */
const COMPARISONS = ['Lt', 'Gt'];

export function validateTolerations(errors: FieldError[], tolerations: readonly Toleration[], at: Path): void {
  for (const [i, toleration] of tolerations.entries()) validateToleration(errors, toleration, at.index(i));
}

function validateToleration(errors: FieldError[], toleration: Toleration, at: Path): void {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  if (key !== '') validateLabelName(errors, key, at.child('key'));
  else if (operator !== 'Exists') {
    const message = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalidValue(at.child('operator'), operator, message));
  }
  if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
    errors.push(invalidValue(at.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (operator === 'Equal' || operator === '') {
    const messages = labelValue(value);
    if (messages.length > 0) errors.push(invalidValue(at.child('operator'), value, messages.join(';')));
  } else if (operator === 'Exists') {
    if (value !== '')
      errors.push(invalidValue(at.child('operator'), value, "value must be empty when `operator` is 'Exists'"));
  } else {
    const supported = COMPARISONS.includes(operator) ? [...OPERATORS, ...COMPARISONS] : OPERATORS;
    errors.push(notSupported(at.child('operator'), operator, supported));
  }
  if (effect !== '') validateTaintEffect(errors, effect, at.child('effect'));
}

function validateTaintEffect(errors: FieldError[], effect: string, at: Path): void {
  if (!EFFECTS.includes(effect)) errors.push(notSupported(at, effect, EFFECTS));
}

/** An update may only add tolerations and change tolerationSeconds. */
export function validateOnlyAddedTolerations(
  errors: FieldError[],
  tolerations: readonly Toleration[],
  old: readonly Toleration[],
  at: Path,
): void {
  for (const existing of old) {
    const kept = tolerations.some(({ tolerationSeconds: _, ...toleration }) => {
      const { tolerationSeconds: __, ...before } = existing;
      return semanticEqual(toleration, before);
    });
    if (kept) continue;
    errors.push(forbiddenField(at, 'existing toleration can not be modified except its tolerationSeconds'));
    return;
  }
  validateTolerations(errors, tolerations, at);
}

export function validateTaints(errors: FieldError[], taints: readonly Taint[], at: Path): void {
  const seen = new Set<string>();
  for (const [i, taint] of taints.entries()) {
    const { key = '', value = '', effect = '' } = taint;
    const here = at.index(i);
    validateLabelName(errors, key, here.child('key'));
    const messages = labelValue(value);
    if (messages.length > 0) errors.push(invalidValue(here.child('value'), value, messages.join(';')));
    if (effect === '') errors.push(required(here.child('effect')));
    else validateTaintEffect(errors, effect, here.child('effect'));
    const pair = `${effect}/${key}`;
    if (seen.has(pair)) {
      const shown = goStruct('io.k8s.api.core.v1.Taint', taint);
      errors.push(
        new FieldError('FieldValueDuplicate', here.toString(), shown, 'taints must be unique by key and effect pair'),
      );
    }
    seen.add(pair);
  }
}
