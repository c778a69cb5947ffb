/** `why denied`: from the API server of ours, or on any cluster from SubjectAccessReview and the RBAC objects that the asker may read. */
import type { ClusterRoleBinding, PolicyRule, RoleBinding } from '../../api/generated/rbac-v1.ts';
import { isNotFound, type Client, type DiscoveredResource } from '../../client/index.ts';
import { findInRoles, identityKeys, subjectKey, type RoleGrant } from '../../component-helpers/index.ts';
import { glassPath } from '../api/glass-group.ts';
import { Reader } from '../why/reader.ts';
import {
  rbacVerdict,
  remedyOf,
  type AccessAnswer,
  type AccessQuestion,
  type AuthorizerVerdict,
} from './access-answer.ts';
import { accessOf } from './explain-access.ts';

export interface WhyDeniedOptions {
  readonly client: Client;
  /** Whose access; default: the asker's own. */
  readonly as?: string;
  readonly asGroups?: readonly string[];
  readonly verb: string;
  /** A resource with its API group, or a path such as /healthz. */
  readonly resource: Pick<DiscoveredResource, 'group' | 'plural' | 'namespaced'> | string;
  readonly subresource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly signal?: AbortSignal;
}

export async function whyDenied(options: WhyDeniedOptions): Promise<AccessAnswer> {
  const question = await questionOf(options);
  const fromServer = await askServer(options, question);
  return fromServer ? { ...fromServer, unknown: [] } : askAnyCluster(options, question);
}

async function questionOf(options: WhyDeniedOptions): Promise<AccessQuestion> {
  const { verb, resource, subresource, name, namespace } = options;
  const { user, groups } = await identityOf(options);
  if (typeof resource === 'string') return { user, groups, verb, path: resource };
  return {
    user,
    groups,
    verb,
    group: resource.group,
    resource: resource.plural,
    ...(subresource ? { subresource } : {}),
    ...(name ? { name } : {}),
    ...(resource.namespaced && namespace ? { namespace } : {}),
  };
}

interface SelfSubjectReview {
  readonly status?: { readonly userInfo?: { readonly username?: string; readonly groups?: readonly string[] } };
}

/** The groups that authentication and impersonation add are added here as well. */
async function identityOf({
  client,
  as,
  asGroups = [],
  signal,
}: WhyDeniedOptions): Promise<{ user: string; groups: readonly string[] }> {
  if (as === undefined) {
    const { body } = await client.request({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      ...(signal ? { signal } : {}),
    });
    const { username = '', groups = [] } = (body as SelfSubjectReview).status?.userInfo ?? {};
    return { user: username, groups };
  }
  const account = /^system:serviceaccount:([^:]+):[^:]+$/.exec(as);
  const implied = account ? ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`] : [];
  const everyone = as === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated';
  return { user: as, groups: [...new Set([...asGroups, ...implied, everyone])] };
}

const specOf = ({
  user,
  groups,
  verb,
  path,
  group,
  resource,
  subresource,
  name,
  namespace,
}: AccessQuestion): object => ({
  user,
  groups,
  ...(path === undefined
    ? { resourceAttributes: { verb, group, resource, subresource, name, namespace } }
    : { nonResourceAttributes: { path, verb } }),
});

/** undefined where the server is not ours. */
async function askServer(
  { client, as, signal }: WhyDeniedOptions,
  question: AccessQuestion,
): Promise<Omit<AccessAnswer, 'unknown'> | undefined> {
  const { user: _, groups: __, ...about } = specOf(question) as Record<string, unknown>;
  try {
    const { body } = await client.request({
      method: 'POST',
      path: glassPath('accessexplanations'),
      body: { spec: as === undefined ? about : specOf(question) },
      ...(signal ? { signal } : {}),
    });
    return (body as { status: Omit<AccessAnswer, 'unknown'> }).status;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function askAnyCluster(options: WhyDeniedOptions, question: AccessQuestion): Promise<AccessAnswer> {
  const { client, signal } = options;
  const reader = new Reader({ client, now: () => 0, ...(signal ? { signal } : {}) });
  const review = await reviewed(options, question, reader);
  const found = findInRoles(await grantsOf(reader, question), rulesIn(await rolesOf(reader)), accessOf(question));
  const rbac: AuthorizerVerdict = {
    authorizer: 'RBAC',
    decision: found.allowedBy ? 'allow' : 'no-opinion',
    ...rbacVerdict(found, question),
  };
  const allowed = review?.allowed ?? found.allowedBy !== undefined;
  if (review && review.allowed !== (rbac.decision === 'allow'))
    reader.noteUnknown(
      review.allowed
        ? `which authorizer allowed it: no RBAC object that you may read does${review.reason ? ` (the server says: ${review.reason})` : ''}`
        : `which authorizer denied it: RBAC would allow it${review.reason ? ` (the server says: ${review.reason})` : ''}`,
    );
  reader.noteUnknown('the answers of other authorizers than RBAC: this API server does not tell them one by one');
  return {
    question,
    allowed,
    authorizers: [rbac],
    ...(allowed ? {} : { remedy: remedyOf(question, rbac) }),
    unknown: reader.unknown,
  };
}

interface AccessReview {
  readonly allowed: boolean;
  readonly reason?: string;
}

async function reviewed(
  { client, as, signal }: WhyDeniedOptions,
  question: AccessQuestion,
  reader: Reader,
): Promise<AccessReview | undefined> {
  const kind = as === undefined ? 'SelfSubjectAccessReview' : 'SubjectAccessReview';
  const { user: _, groups: __, ...about } = specOf(question) as Record<string, unknown>;
  try {
    const { body } = await client.request({
      method: 'POST',
      path: `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`,
      body: { apiVersion: 'authorization.k8s.io/v1', kind, spec: as === undefined ? about : specOf(question) },
      ...(signal ? { signal } : {}),
    });
    return (body as { status: AccessReview }).status;
  } catch {
    reader.noteUnknown(`what the authorizers decide together: you may not create ${kind.toLowerCase()}s`);
    return undefined;
  }
}

/** Cluster-wide bindings first, by name, as the RBAC authorizer tries them. */
async function grantsOf(reader: Reader, { user, groups }: AccessQuestion): Promise<RoleGrant[]> {
  const keys = new Set(identityKeys({ name: user, groups }));
  const clusterBindings = await reader.list('rbac.authorization.k8s.io/v1/clusterrolebindings');
  const bindings = await reader.list('rbac.authorization.k8s.io/v1/rolebindings');
  return [...clusterBindings, ...bindings].flatMap(
    ({ metadata, roleRef, subjects = [] }: ClusterRoleBinding | RoleBinding) => {
      const namespace = metadata?.namespace ?? '';
      const subject = subjects.find((one) => keys.has(subjectKey(one, namespace) ?? ''));
      return subject ? [{ namespace, binding: metadata?.name ?? '', roleRef, subject }] : [];
    },
  );
}

async function rolesOf(reader: Reader): Promise<ReadonlyMap<string, readonly PolicyRule[]>> {
  const clusterRoles = await reader.list('rbac.authorization.k8s.io/v1/clusterroles');
  const roles = await reader.list('rbac.authorization.k8s.io/v1/roles');
  return new Map(
    [...clusterRoles, ...roles].map(({ metadata, rules }) => [
      `${metadata?.namespace ?? ''}/${metadata?.name}`,
      rules ?? [],
    ]),
  );
}

const rulesIn =
  (roles: ReadonlyMap<string, readonly PolicyRule[]>) =>
  ({ roleRef, namespace }: RoleGrant): readonly PolicyRule[] | undefined =>
    roles.get(roleRef.kind === 'Role' ? `${namespace}/${roleRef.name}` : `/${roleRef.name}`);
