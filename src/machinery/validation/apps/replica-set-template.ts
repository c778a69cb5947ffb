/** Validates selector and pod template of Deployments and ReplicaSets. */
import type { PodTemplateSpec } from '../../../api/generated/core-v1.ts';
import type { LabelSelector } from '../../../api/generated/meta-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  type Path,
  required,
} from '../../errors/index.ts';
import { podTemplateRules } from '../core/pod/pod-allowances.ts';
import { validatePodTemplateSpec } from '../core/pod/pod-template.ts';
import type { ValidationContext } from '../kind-validation.ts';
import { validateLabelSelector } from '../label-selector.ts';
import { isEmptySelector, isUsableSelector, validateTemplateLabels } from './selector-match.ts';

interface SelectedTemplate {
  readonly selector?: LabelSelector | null;
  readonly template?: PodTemplateSpec;
}

export interface TemplateUpdate {
  readonly old: PodTemplateSpec | undefined;
  readonly context: ValidationContext;
}

export function validateSelector(
  errors: FieldError[],
  selector: LabelSelector | undefined | null,
  at: Path,
  owner: string,
): void {
  if (!selector) {
    errors.push(required(at));
    return;
  }
  validateLabelSelector(errors, selector, at);
  if (isEmptySelector(selector)) errors.push(invalidValue(at, selector, `empty selector is invalid for ${owner}`));
}

export function validateReplicaSetTemplate(
  errors: FieldError[],
  spec: SelectedTemplate,
  at: Path,
  { old, context }: TemplateUpdate,
): void {
  const { selector, template } = spec;
  if (!isUsableSelector(selector)) {
    errors.push(invalidValue(at.child('selector'), selector, 'invalid label selector'));
    return;
  }
  const templateAt = at.child('template');
  if (!isEmptySelector(selector)) validateTemplateLabels(errors, selector, template, templateAt);
  validatePodTemplateSpec(errors, template ?? {}, templateAt, podTemplateRules(context, old));
  validateAlwaysRestarting(errors, template, templateAt, 'ReplicaSet');
}

/** Pods of these controllers must have restartPolicy Always and no active deadline. */
export function validateAlwaysRestarting(
  errors: FieldError[],
  template: PodTemplateSpec | undefined,
  at: Path,
  owner: string,
): void {
  const restartPolicy = template?.spec?.restartPolicy ?? '';
  if (restartPolicy !== 'Always')
    errors.push(notSupported(at.child('spec', 'restartPolicy'), restartPolicy, ['Always']));
  if (template?.spec?.activeDeadlineSeconds != null) {
    errors.push(
      forbiddenField(at.child('spec', 'activeDeadlineSeconds'), `activeDeadlineSeconds in ${owner} is not Supported`),
    );
  }
}
