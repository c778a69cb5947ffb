/** Validation of ReplicationControllers. */
import type { ReplicationController, ReplicationControllerStatus } from '../../../api/generated/core-v1.ts';
import { ownValue } from '../../../base/index.ts';
import { type FieldError, forbiddenField, invalidValue, notSupported, path, required } from '../../errors/index.ts';
import { dns1123Label, nameIsDnsSubdomain } from '../../names/index.ts';
import type { KindValidation, ValidationContext } from '../kind-validation.ts';
import { metadata, metadataUpdate } from '../metadata-checks.ts';
import { validateNonnegative } from '../object-meta.ts';
import { podTemplateRules } from './pod/pod-allowances.ts';
import type { PodRules } from './pod/pod-rules.ts';
import { validatePodTemplateSpec } from './pod/pod-template.ts';
import { podTemplateWarnings } from './pod/pod-warnings.ts';

const SPEC = path('spec');
const STATUS = path('status');
const TEMPLATE = SPEC.child('template');

function validateSpec(errors: FieldError[], object: ReplicationController, rules: PodRules): void {
  const { minReadySeconds, selector = {}, replicas, template } = object.spec ?? {};
  validateNonnegative(errors, minReadySeconds, SPEC.child('minReadySeconds'));
  if (Object.keys(selector).length === 0) errors.push(required(SPEC.child('selector')));
  validateNonnegative(errors, replicas, SPEC.child('replicas'));
  if (!template) {
    errors.push(required(TEMPLATE));
    return;
  }
  const labels = template.metadata?.labels;
  if (Object.entries(selector).some(([key, value]) => ownValue(labels, key) !== value)) {
    errors.push(
      invalidValue(TEMPLATE.child('metadata', 'labels'), labels ?? null, '`selector` does not match template `labels`'),
    );
  }
  validatePodTemplateSpec(errors, template, TEMPLATE, rules);
  const { restartPolicy = '', activeDeadlineSeconds } = template.spec ?? {};
  if (restartPolicy !== 'Always')
    errors.push(notSupported(TEMPLATE.child('spec', 'restartPolicy'), restartPolicy, ['Always']));
  if (activeDeadlineSeconds !== undefined) {
    const message = 'activeDeadlineSeconds in ReplicationController is not Supported';
    errors.push(forbiddenField(TEMPLATE.child('spec', 'activeDeadlineSeconds'), message));
  }
}

function spec(errors: FieldError[], object: ReplicationController, context: ValidationContext): void {
  validateSpec(errors, object, podTemplateRules(context));
}

function specUpdate(
  errors: FieldError[],
  object: ReplicationController,
  old: ReplicationController,
  context: ValidationContext,
): void {
  validateSpec(errors, object, podTemplateRules(context, old.spec?.template));
}

const COUNTS = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'observedGeneration',
] as const;
const NO_STATUS: ReplicationControllerStatus = { replicas: 0 };

function statusUpdate(errors: FieldError[], object: ReplicationController): void {
  const status = object.status ?? NO_STATUS;
  for (const name of COUNTS) validateNonnegative(errors, status[name], STATUS.child(name));
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  for (const name of ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const) {
    const count = status[name] ?? 0;
    if (count > replicas)
      errors.push(invalidValue(STATUS.child(name), count, 'cannot be greater than status.replicas'));
  }
  if (availableReplicas > readyReplicas) {
    errors.push(
      invalidValue(STATUS.child('availableReplicas'), availableReplicas, 'cannot be greater than readyReplicas'),
    );
  }
}

/** For kinds whose name becomes part of the names of pods. */
export function podOwnerNameWarnings(warnings: string[], name: string | undefined): void {
  const messages = dns1123Label(name ?? '');
  if (messages.length === 0) return;
  const what =
    'this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended';
  warnings.push(`metadata.name: ${what}: [${messages.join(' ')}]`);
}

function warnings(list: string[], object: ReplicationController, old: ReplicationController | undefined): void {
  if (!old) podOwnerNameWarnings(list, object.metadata?.name);
  else if (object.metadata?.generation === old.metadata?.generation) return;
  // As upstream, an update is warned of the template that it replaces.
  const template = (old ?? object).spec?.template;
  if (template) podTemplateWarnings(list, template, TEMPLATE);
}

export const replicationController: KindValidation<ReplicationController> = {
  create: [metadata({ namespaced: true, name: nameIsDnsSubdomain }), spec],
  update: [metadataUpdate, specUpdate],
  status: [metadataUpdate, statusUpdate],
  warnings: [warnings],
};
