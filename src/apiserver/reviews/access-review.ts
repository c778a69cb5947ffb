/** SubjectAccessReview, LocalSubjectAccessReview, SelfSubjectAccessReview and SelfSubjectRulesReview. */
import type {
  LocalSubjectAccessReview,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from '../../api/generated/authorization-v1.ts';
import type { PolicyRule } from '../../api/generated/rbac-v1.ts';
import { badRequest } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AuthorizationAttributes } from '../authz/authorizer.ts';
import { reviewedFields, reviewedLabels } from '../authz/selectors.ts';
import type { UserInfo } from '../request/request.ts';
import type { Scope } from '../verbs/scope.ts';
import { review } from './review.ts';

type Spec = SubjectAccessReviewSpec;

export const subjectAccessReview = review(async (scope, object) => {
  const { spec } = object as unknown as SubjectAccessReview;
  return { ...object, status: await reviewStatus(scope, subjectOf(spec), spec) };
});

export const localSubjectAccessReview = review(async (scope, object) => {
  const { spec } = object as unknown as LocalSubjectAccessReview;
  const namespace = spec.resourceAttributes?.namespace ?? '';
  if (namespace !== scope.place.namespace) {
    throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${scope.place.namespace}`);
  }
  return { ...object, status: await reviewStatus(scope, subjectOf(spec), spec) };
});

export const selfSubjectAccessReview = review(async (scope, object) => {
  const { spec } = object as unknown as SelfSubjectAccessReview;
  return { ...object, status: await reviewStatus(scope, scope.user, spec as Spec) };
});

export const selfSubjectRulesReview = review((scope, object) => {
  const { spec } = object as unknown as SelfSubjectRulesReview;
  const namespace = spec?.namespace ?? '';
  if (namespace === '') throw badRequest('no namespace on request');
  const { rules, incomplete, error } = scope.backend.rules.rulesFor(scope.user, namespace);
  // As upstream, the response has an empty spec and no metadata of the request.
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: {},
    spec: {},
    status: { ...splitRules(rules), incomplete, ...(error ? { evaluationError: error } : {}) },
  };
});

async function reviewStatus(scope: Scope, user: UserInfo, spec: Spec): Promise<SubjectAccessReviewStatus> {
  const { decision, reason, error: undecided } = await scope.backend.authorizer.authorize(attributesOf(user, spec));
  const error = [...(undecided ? [undecided] : []), ...selectorErrors(spec)].join('; ');
  return {
    allowed: decision === 'allow',
    ...(decision === 'deny' ? { denied: true } : {}),
    ...(reason !== '' ? { reason } : {}),
    ...(error ? { evaluationError: error } : {}),
  };
}

const subjectOf = (spec: Spec): UserInfo => ({
  name: spec.user ?? '',
  ...(spec.uid ? { uid: spec.uid } : {}),
  groups: spec.groups ?? [],
  ...(spec.extra ? { extra: spec.extra } : {}),
});

function attributesOf(user: UserInfo, spec: Spec): AuthorizationAttributes {
  const none = { user, apiGroup: '', apiVersion: '', namespace: '', resource: '', subresource: '', name: '', path: '' };
  if (spec.nonResourceAttributes) {
    return {
      ...none,
      isResourceRequest: false,
      verb: spec.nonResourceAttributes.verb ?? '',
      path: spec.nonResourceAttributes.path ?? '',
    };
  }
  const resource: ResourceAttributes = spec.resourceAttributes ?? {};
  return {
    ...none,
    isResourceRequest: true,
    verb: resource.verb ?? '',
    apiGroup: resource.group ?? '',
    apiVersion: resource.version || '*',
    namespace: resource.namespace ?? '',
    resource: resource.resource ?? '',
    subresource: resource.subresource ?? '',
    name: resource.name ?? '',
    ...selectorsOf(resource),
  };
}

function selectorsOf({ fieldSelector, labelSelector }: ResourceAttributes): Partial<AuthorizationAttributes> {
  const { requirements: fields } = reviewedFields(fieldSelector);
  const { requirements: labels } = reviewedLabels(labelSelector);
  return { ...(fields ? { fieldSelector: fields } : {}), ...(labels ? { labelSelector: labels } : {}) };
}

const selectorErrors = ({ resourceAttributes }: Spec): string[] =>
  [
    reviewedFields(resourceAttributes?.fieldSelector).error,
    reviewedLabels(resourceAttributes?.labelSelector).error,
  ].filter((error) => error !== undefined);

function splitRules(rules: readonly PolicyRule[]): { resourceRules: KubeObject[]; nonResourceRules: KubeObject[] } {
  const resourceRules: unknown[] = [];
  const nonResourceRules: unknown[] = [];
  for (const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } of rules) {
    if (resources?.length) {
      resourceRules.push({
        verbs,
        ...(apiGroups?.length ? { apiGroups } : {}),
        resources,
        ...(resourceNames?.length ? { resourceNames } : {}),
      });
    }
    if (nonResourceURLs?.length) nonResourceRules.push({ verbs, nonResourceURLs });
  }
  return { resourceRules: resourceRules as KubeObject[], nonResourceRules: nonResourceRules as KubeObject[] };
}
