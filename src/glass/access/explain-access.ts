/** Explains access on the server: every authorizer's answer, with as much of RBAC as the asker may read. */
import type { SubjectAccessReviewSpec } from '../../api/generated/authorization-v1.ts';
import type { AccessRequest, RbacFinding, RoleGrant } from '../../component-helpers/index.ts';
import { badRequest, forbidden } from '../../machinery/errors/index.ts';
import {
  rbacVerdict,
  remedyOf,
  type AccessAnswer,
  type AccessQuestion,
  type AuthorizerVerdict,
  type Visible,
} from './access-answer.ts';

/** A user as authorizers see it. */
export interface Asker {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
}

interface AuthorizerAnswer {
  readonly authorizer: string;
  readonly decision: AuthorizerVerdict['decision'];
  readonly reason: string;
  readonly error?: string;
  readonly rbac?: RbacFinding;
  readonly nearest?: readonly string[];
}

/** What the API server tells about access. */
export interface AccessInsight {
  explainAccess(user: Asker, request: AccessRequest): Promise<readonly AuthorizerAnswer[]>;
  isAllowed(user: Asker, request: AccessRequest): Promise<boolean>;
}

const RBAC = 'rbac.authorization.k8s.io';

/** Everyone may ask about themselves; about others whoever may create SubjectAccessReviews. */
export async function explainAccess(
  insight: AccessInsight,
  asker: Asker,
  spec: SubjectAccessReviewSpec,
): Promise<Omit<AccessAnswer, 'unknown'>> {
  const isSelf = !spec.user || (spec.user === asker.name && !spec.groups?.length);
  if (!isSelf && !(await insight.isAllowed(asker, accessTo('create', 'authorization.k8s.io', 'subjectaccessreviews'))))
    throw forbidden(
      { group: 'authorization.k8s.io', resource: 'subjectaccessreviews' },
      '',
      `User "${asker.name}" cannot ask about the access of others: that needs the right to create subjectaccessreviews`,
    );
  const subject = isSelf ? asker : { name: spec.user ?? '', groups: spec.groups ?? [] };
  const question = questionOf(subject, spec);
  const answers = await insight.explainAccess(subject, accessOf(question));
  return answerOf(question, answers, await visibility(insight, asker, { answers, isSelf }));
}

export function answerOf(
  question: AccessQuestion,
  answers: readonly AuthorizerAnswer[],
  visible: (grant: RoleGrant) => Visible,
): Omit<AccessAnswer, 'unknown'> {
  const authorizers = answers.map(({ authorizer, decision, reason, error, rbac, nearest }): AuthorizerVerdict => ({
    authorizer,
    decision,
    ...(reason ? { reason } : {}),
    ...(error ? { error } : {}),
    ...(rbac ? rbacVerdict(rbac, question, visible) : {}),
    ...(nearest?.length ? { nearest: nearest.map((text) => ({ lacks: [], text })) } : {}),
  }));
  const allowed = answers.some(({ decision }) => decision === 'allow');
  const rbac = authorizers.find(({ authorizer }) => authorizer === 'RBAC');
  return { question, allowed, authorizers, ...(!allowed && rbac ? { remedy: remedyOf(question, rbac) } : {}) };
}

/**
 * What of RBAC the asker may read. SelfSubjectRulesReview tells everyone their own rules, so these are no secret; the names
 * of bindings and roles are, and the rules of others.
 */
export async function visibility(
  insight: AccessInsight,
  asker: Asker,
  { answers, isSelf }: { readonly answers: readonly AuthorizerAnswer[]; readonly isSelf: boolean },
): Promise<(grant: RoleGrant) => Visible> {
  const known = new Map<RoleGrant, Visible>();
  const grants = answers.flatMap(({ rbac }) => [
    ...(rbac?.allowedBy ? [rbac.allowedBy.grant] : []),
    ...(rbac?.nearest ?? []).map(({ grant }) => grant),
  ]);
  for (const grant of grants) {
    const { namespace, binding, roleRef } = grant;
    const bindings = namespace === '' ? 'clusterrolebindings' : 'rolebindings';
    const roles = roleRef.kind === 'Role' ? 'roles' : 'clusterroles';
    const mayGetBinding = await insight.isAllowed(asker, accessTo('get', RBAC, bindings, { namespace, name: binding }));
    const role = { namespace: roleRef.kind === 'Role' ? namespace : '', name: roleRef.name };
    const mayGetRole = await insight.isAllowed(asker, accessTo('get', RBAC, roles, role));
    known.set(grant, { binding: mayGetBinding, rule: isSelf || mayGetRole });
  }
  return (grant) => known.get(grant) ?? { binding: false, rule: false };
}

function questionOf(
  subject: Asker,
  { resourceAttributes, nonResourceAttributes }: SubjectAccessReviewSpec,
): AccessQuestion {
  const { name: user, groups } = subject;
  if (nonResourceAttributes)
    return { user, groups, verb: nonResourceAttributes.verb ?? '', path: nonResourceAttributes.path ?? '' };
  if (!resourceAttributes) throw badRequest('spec needs resourceAttributes or nonResourceAttributes');
  const { verb = '', group = '', resource = '', subresource, name, namespace } = resourceAttributes;
  return {
    user,
    groups,
    verb,
    group,
    resource,
    ...(subresource ? { subresource } : {}),
    ...(name ? { name } : {}),
    ...(namespace ? { namespace } : {}),
  };
}

export const accessOf = (question: AccessQuestion): AccessRequest => ({
  verb: question.verb,
  isResourceRequest: question.path === undefined,
  apiGroup: question.group ?? '',
  resource: question.resource ?? '',
  subresource: question.subresource ?? '',
  name: question.name ?? '',
  namespace: question.namespace ?? '',
  path: question.path ?? '',
});

export const accessTo = (
  verb: string,
  apiGroup: string,
  resource: string,
  { namespace = '', name = '' }: { readonly namespace?: string; readonly name?: string } = {},
): AccessRequest => ({
  verb,
  isResourceRequest: true,
  apiGroup,
  resource,
  subresource: '',
  name,
  namespace,
  path: '',
});
