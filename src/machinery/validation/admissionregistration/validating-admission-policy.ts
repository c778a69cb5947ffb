/** Validation of ValidatingAdmissionPolicies and their bindings. */
import type {
  AuditAnnotation,
  ExpressionWarning,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicySpec,
  Validation,
} from '../../../api/generated/admissionregistration-v1.ts';
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
} from '../../errors/index.ts';
import { nameIsDnsSubdomain, utf8Longer } from '../../names/index.ts';
import { goStructs } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { validateLabelName } from '../label-selector.ts';
import { metadata, metadataAgain } from '../metadata-checks.ts';
import { validateConditions } from '../object-meta.ts';
import { validateExpression, type ExpressionScope } from './expressions.ts';
import { validateParamRef, validatePolicyHead, validatePolicyName, type PolicyScope } from './policy-parts.ts';
import { validateMatchResources } from './rules.ts';

const SPEC = path('spec');
const META_RULES = { namespaced: false, name: nameIsDnsSubdomain, unqualifiedFinalizers: true } as const;
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const MAX_AUDIT_ANNOTATIONS = 20;
const MAX_VALUE_EXPRESSION_BYTES = 5 * 1024;
const NEWLINE = /[\n\r]/;
const AT_LEAST_ONE = 'validations or auditAnnotations must contain at least one item';

export const validatingAdmissionPolicy: KindValidation<ValidatingAdmissionPolicy> = {
  create: [
    metadata(META_RULES),
    (errors, object, context) => validatePolicy(errors, object, { old: undefined, context }),
  ],
  update: [
    metadataAgain(META_RULES),
    (errors, object, old, context) => validatePolicy(errors, object, { old: old.spec ?? {}, context }),
  ],
  status: [(errors, object) => validateStatus(errors, object)],
};

function validatePolicy(
  errors: FieldError[],
  { metadata: meta, spec }: ValidatingAdmissionPolicy,
  scope: PolicyScope,
): void {
  const policy: ValidatingAdmissionPolicySpec = spec ?? {};
  const expressions = validatePolicyHead(errors, policy, SPEC, scope);
  const validations = policy.validations ?? [];
  const annotations = policy.auditAnnotations ?? [];
  if (validations.length === 0 && annotations.length === 0) {
    errors.push(
      required(SPEC.child('validations'), AT_LEAST_ONE),
      required(SPEC.child('auditAnnotations'), AT_LEAST_ONE),
    );
    return;
  }
  for (const [i, validation] of validations.entries())
    validateValidation(errors, validation, SPEC.child('validations').index(i), expressions);
  validateAuditAnnotations(errors, annotations, { policyName: meta.name ?? '', expressions });
}

function validateValidation(errors: FieldError[], validation: Validation, at: Path, scope: ExpressionScope): void {
  const { expression = '', message = '', messageExpression = '', reason } = validation;
  const trimmedMessage = message.trim();
  if (expression.trim() === '') errors.push(required(at.child('expression'), 'expression is not specified'));
  else
    validateExpression(errors, expression, at.child('expression'), {
      ...scope,
      use: 'validation',
      hasAuthorizer: true,
    });
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(invalidValue(at.child('messageExpression'), messageExpression, 'must be non-empty if specified'));
  } else if (messageExpression !== '') {
    const place = { ...scope, use: 'messageExpression', hasAuthorizer: false } as const;
    validateExpression(errors, messageExpression, at.child('messageExpression'), place);
  }
  if (message !== '' && trimmedMessage === '')
    errors.push(invalidValue(at.child('message'), message, 'must be non-empty if specified'));
  else if (NEWLINE.test(trimmedMessage))
    errors.push(invalidValue(at.child('message'), message, 'must not contain line breaks'));
  if (reason != null && !REASONS.includes(reason)) errors.push(notSupported(at.child('reason'), reason, REASONS));
}

interface AnnotationScope {
  readonly policyName: string;
  readonly expressions: ExpressionScope;
}

function validateAuditAnnotations(
  errors: FieldError[],
  annotations: readonly AuditAnnotation[],
  scope: AnnotationScope,
): void {
  const at = SPEC.child('auditAnnotations');
  if (annotations.length > MAX_AUDIT_ANNOTATIONS) {
    const shown = goStructs('io.k8s.api.admissionregistration.v1.AuditAnnotation', annotations);
    errors.push(invalidValue(at, shown, `must not have more than ${MAX_AUDIT_ANNOTATIONS} auditAnnotations`));
  }
  const keys = new Set<string>();
  for (const [i, annotation] of annotations.entries()) {
    validateAuditAnnotation(errors, annotation, at.index(i), scope);
    if (keys.has(annotation.key)) errors.push(duplicate(at.index(i).child('key'), annotation.key));
    keys.add(annotation.key);
  }
}

function validateAuditAnnotation(
  errors: FieldError[],
  { key = '', valueExpression = '' }: AuditAnnotation,
  at: Path,
  { policyName, expressions }: AnnotationScope,
): void {
  if (policyName !== '') validateLabelName(errors, `${policyName}/${key}`, at.child('key'));
  else errors.push(invalidValue(at.child('key'), key, 'requires metadata.name be non-empty'));
  const trimmed = valueExpression.trim();
  const valueAt = at.child('valueExpression');
  if (trimmed === '') errors.push(required(valueAt, 'valueExpression is not specified'));
  else if (utf8Longer(trimmed, MAX_VALUE_EXPRESSION_BYTES)) {
    errors.push(required(valueAt, `must not exceed ${MAX_VALUE_EXPRESSION_BYTES} bytes in length`));
  } else {
    const place = { ...expressions, use: 'auditAnnotation', hasAuthorizer: true, shown: valueExpression } as const;
    validateExpression(errors, trimmed, valueAt, place);
  }
}

function validateStatus(errors: FieldError[], { status }: ValidatingAdmissionPolicy): void {
  const at = path('status');
  for (const [i, warning] of (status?.typeChecking?.expressionWarnings ?? []).entries()) {
    validateExpressionWarning(errors, warning, at.child('typeChecking', 'expressionWarnings').index(i));
  }
  validateConditions(errors, status?.conditions ?? [], at.child('conditions'));
}

function validateExpressionWarning(
  errors: FieldError[],
  { warning, fieldRef = '' }: ExpressionWarning,
  at: Path,
): void {
  if (!warning) errors.push(required(at.child('warning')));
  if (fieldRef.trim() === '') errors.push(required(at.child('fieldRef')));
}

const ACTIONS = ['Audit', 'Deny', 'Warn'];

export const validatingAdmissionPolicyBinding: KindValidation<ValidatingAdmissionPolicyBinding> = {
  create: [metadata(META_RULES), (errors, object) => validateBinding(errors, object)],
  update: [metadataAgain(META_RULES), (errors, object) => validateBinding(errors, object)],
};

function validateBinding(errors: FieldError[], { spec }: ValidatingAdmissionPolicyBinding): void {
  validatePolicyName(errors, spec?.policyName ?? '', SPEC.child('policyName'));
  validateParamRef(errors, spec?.paramRef, SPEC.child('paramRef'));
  validateMatchResources(errors, spec?.matchResources, SPEC.child('matchResources'));
  validateActions(errors, spec?.validationActions ?? [], SPEC.child('validationActions'));
}

function validateActions(errors: FieldError[], actions: readonly string[], at: Path): void {
  const seen = new Set<string>();
  for (const [i, action] of actions.entries()) {
    if (!ACTIONS.includes(action)) errors.push(notSupported(at.index(i), action, ACTIONS));
    if (seen.has(action)) errors.push(duplicate(at.index(i), action));
    seen.add(action);
  }
  if (seen.has('Deny') && seen.has('Warn')) {
    const why = 'repeating the same validation failure information in the API response and headers serves no purpose';
    errors.push(invalidValue(at, actions, `must not contain both Deny and Warn (${why})`));
  }
  if (seen.size === 0) errors.push(required(at, 'at least one validation action is required'));
}
