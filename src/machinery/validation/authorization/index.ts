/** Validation of the authorization group: the reviews that ask whether something is allowed. */
import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  LocalSubjectAccessReview,
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from '../../../api/generated/authorization-v1.ts';
import type { ObjectMeta } from '../../../api/generated/meta-v1.ts';
import { type FieldError, invalidValue, path, type Path, required } from '../../errors/index.ts';
import { goStruct } from '../go-struct.ts';
import type { CreateCheck, KindValidation } from '../kind-validation.ts';
import { validateFieldSelectorRequirement, validateLabelSelectorRequirement } from '../label-selector.ts';

const SPEC = path('spec');
/** One step with a dot, as upstream builds it. */
const RESOURCE = path('spec.resourceAttributes');
const NEWER_OPERATORS = { unknownOperators: true } as const;

interface Attributes {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}

const nonResource = (attributes: NonResourceAttributes | undefined | null): unknown =>
  attributes ? goStruct('io.k8s.api.authorization.v1.NonResourceAttributes', attributes) : null;

function validateAttributes(errors: FieldError[], { resourceAttributes, nonResourceAttributes }: Attributes): void {
  if (resourceAttributes && nonResourceAttributes) {
    const detail = 'cannot be specified in combination with resourceAttributes';
    errors.push(invalidValue(SPEC.child('nonResourceAttributes'), nonResource(nonResourceAttributes), detail));
  }
  if (!resourceAttributes && !nonResourceAttributes) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    errors.push(invalidValue(SPEC.child('resourceAttributes'), null, detail));
  }
}

function validateSelectors(errors: FieldError[], { resourceAttributes }: Attributes): void {
  if (!resourceAttributes) return;
  const { fieldSelector, labelSelector } = resourceAttributes;
  if (fieldSelector) {
    const at = RESOURCE.child('fieldSelector');
    validateRawOrRequirements(errors, fieldSelector, at);
    for (const [i, requirement] of (fieldSelector.requirements ?? []).entries()) {
      validateFieldSelectorRequirement(errors, requirement, at.child('requirements').index(i), NEWER_OPERATORS);
    }
  }
  if (labelSelector) {
    const at = RESOURCE.child('labelSelector');
    validateRawOrRequirements(errors, labelSelector, at);
    for (const [i, requirement] of (labelSelector.requirements ?? []).entries()) {
      validateLabelSelectorRequirement(errors, requirement, at.child('requirements').index(i), NEWER_OPERATORS);
    }
  }
}

function validateRawOrRequirements(
  errors: FieldError[],
  selector: FieldSelectorAttributes | LabelSelectorAttributes,
  at: Path,
): void {
  const { rawSelector = '', requirements } = selector;
  const count = requirements?.length ?? 0;
  if (rawSelector !== '' && count > 0) {
    errors.push(
      invalidValue(at.child('rawSelector'), rawSelector, 'may not specified at the same time as requirements'),
    );
  }
  if (rawSelector === '' && count === 0) {
    errors.push(required(at.child('requirements'), `when ${at} is specified, requirements or rawSelector is required`));
  }
}

function validateReviewSpec(errors: FieldError[], spec: SubjectAccessReviewSpec): void {
  validateAttributes(errors, spec);
  if (!spec.user && (spec.groups?.length ?? 0) === 0) {
    errors.push(invalidValue(SPEC.child('user'), spec.user ?? '', 'at least one of user or group must be specified'));
  }
  validateSelectors(errors, spec);
}

/** Reviews must have no metadata except what the server sets. */
function emptyMetadata(allowed: readonly (keyof ObjectMeta)[], detail: string): CreateCheck<{ metadata?: ObjectMeta }> {
  const ignored = new Set<string>(['managedFields', ...allowed]);
  return (errors, object) => {
    const meta = object.metadata ?? {};
    const given = Object.entries(meta).some(([name, value]) => value != null && !ignored.has(name));
    if (given) errors.push(invalidValue(path('metadata'), meta, detail));
  };
}

const subjectAccessReview: KindValidation<SubjectAccessReview> = {
  unstored: true,
  create: [(errors, object) => validateReviewSpec(errors, object.spec ?? {}), emptyMetadata([], 'must be empty')],
  update: [],
};

const selfSubjectAccessReview: KindValidation<SelfSubjectAccessReview> = {
  unstored: true,
  create: [
    (errors, object) => validateAttributes(errors, object.spec ?? {}),
    (errors, object) => validateSelectors(errors, object.spec ?? {}),
    emptyMetadata([], 'must be empty'),
  ],
  update: [],
};

const localSubjectAccessReview: KindValidation<LocalSubjectAccessReview> = {
  unstored: true,
  create: [
    (errors, object) => validateReviewSpec(errors, object.spec ?? {}),
    emptyMetadata(['namespace'], 'must be empty except for namespace'),
    (errors, { metadata, spec }) => {
      const asked = spec?.resourceAttributes?.namespace ?? '';
      if (spec?.resourceAttributes && asked !== (metadata?.namespace ?? '')) {
        errors.push(invalidValue(path('spec.resourceAttributes.namespace'), asked, 'must match metadata.namespace'));
      }
      if (spec?.nonResourceAttributes) {
        const shown = nonResource(spec.nonResourceAttributes);
        errors.push(invalidValue(path('spec.nonResourceAttributes'), shown, 'disallowed on this kind of request'));
      }
    },
  ],
  update: [],
};

export const authorizationValidations: Readonly<Record<string, KindValidation>> = {
  'authorization.k8s.io/localsubjectaccessreviews': localSubjectAccessReview,
  'authorization.k8s.io/selfsubjectaccessreviews': selfSubjectAccessReview,
  'authorization.k8s.io/selfsubjectrulesreviews': { unstored: true, create: [], update: [] },
  'authorization.k8s.io/subjectaccessreviews': subjectAccessReview,
};
