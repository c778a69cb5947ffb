/** serviceaccounts/token: creates a token of a ServiceAccount, bound to an object or not. */
import type { TokenRequest } from '../../api/generated/authentication-v1.ts';
import type { Pod, ServiceAccount } from '../../api/generated/core-v1.ts';
import { schema } from '../../api/index.ts';
import { formatTime } from '../../base/index.ts';
import { badRequest, conflict, invalid, invalidValue, path } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { validateBody } from '../../machinery/validation/index.ts';
import { attributesOf } from '../admission/attributes.ts';
import type { BoundObject } from '../authn/service-account-tokens.ts';
import { optionsObject, writeOptions, type WriteOptions } from '../request/options.ts';
import type { Result } from '../request/request.ts';
import { checkNamespace } from '../verbs/create.ts';
import { decodeBody } from '../verbs/decode-body.ts';
import { managerOf, trackCreate } from '../verbs/managed-fields.ts';
import type { Scope } from '../verbs/scope.ts';

type TokenRequestObject = TokenRequest & KubeObject;

const MESSAGE = schema.message('io.k8s.api.authentication.v1.TokenRequest');
const TOKEN_REQUEST = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', message: MESSAGE };

/** The lifetime that kubelets request: such a token is valid for a year, for old clients that never reload it. */
const EXTENDED_WHEN_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 24 * 60 * 60;

export async function createToken(scope: Scope): Promise<Result> {
  const { backend, place, served } = scope;
  const options = writeOptions('CreateOptions', scope.request.query);
  const request = await readTokenRequest(scope, options);
  const attributes = attributesOf(scope, {
    operation: 'CREATE',
    object: request,
    name: place.name,
    options: optionsObject(options),
    dryRun: options.dryRun,
    kind: TOKEN_REQUEST,
  });
  await backend.admission.admit(attributes);
  checkName(scope, request);
  const account = (await backend.objects.get(served, place)).object as ServiceAccount & KubeObject;
  checkUid(scope, request, account);
  const spec = completeRequest(scope, request);
  const errors = validateBody('TokenRequest', request, backend.validation);
  if (errors.length > 0) throw invalid(TOKEN_REQUEST, '', errors);
  await backend.admission.validate(attributes);
  request.status = await issueToken(scope, spec, account);
  return { type: 'object', status: 201, object: request };
}

async function readTokenRequest(scope: Scope, options: WriteOptions): Promise<TokenRequestObject> {
  const { fieldValidation } = options;
  const request = (await decodeBody(scope, { fieldValidation, expected: TOKEN_REQUEST })) as TokenRequestObject;
  checkNamespace(scope, request);
  await trackCreate(
    { ...scope, served: { ...scope.served, ...TOKEN_REQUEST, strategy: {} } },
    request,
    managerOf(scope, options),
  );
  return request;
}

function checkName({ place }: Scope, { metadata: { name } }: TokenRequestObject): void {
  if (!name || name === place.name) return;
  throw invalid(TOKEN_REQUEST, place.name, [
    invalidValue(path('metadata', 'name'), name, 'must match the service account name if specified'),
  ]);
}

function checkUid({ served, place }: Scope, { metadata: { uid } }: TokenRequestObject, account: KubeObject): void {
  if (!uid || uid === account.metadata.uid) return;
  throw conflict(
    served.groupResource,
    place.name,
    `the UID in the token request (${uid}) does not match the UID of the service account (${account.metadata.uid})`,
  );
}

type CompleteSpec = NonNullable<TokenRequest['spec']> & { audiences: string[] };

function completeRequest({ backend, place }: Scope, request: TokenRequestObject): CompleteSpec {
  const { metadata } = request;
  const given = request.spec ?? {};
  const audiences = given.audiences?.length ? given.audiences : [...backend.tokens.apiAudiences];
  const spec = Object.assign(given, { audiences });
  request.spec = spec;
  metadata.name = place.name;
  metadata.uid = backend.ctx.random.uid();
  metadata.creationTimestamp = formatTime(backend.ctx.clock.now());
  delete request.status;
  return spec;
}

async function issueToken(
  scope: Scope,
  spec: CompleteSpec,
  account: KubeObject,
): Promise<NonNullable<TokenRequest['status']>> {
  const { backend, place } = scope;
  const { audiences } = spec;
  const now = backend.ctx.clock.now();
  const bound = await boundObject(scope, spec);
  const { maxExpirationSeconds = Infinity, extendExpiration = true } = backend.tokens.options;
  const seconds = Math.min(spec.expirationSeconds ?? 3600, maxExpirationSeconds);
  const extended =
    extendExpiration && bound?.kind === 'Pod' && seconds === EXTENDED_WHEN_SECONDS && isForThisServer(scope, audiences);
  const { token } = await backend.tokens.issue({
    namespace: place.namespace,
    name: place.name,
    uid: account.metadata.uid!,
    audiences,
    expirationSeconds: extended ? Math.min(EXTENDED_SECONDS, maxExpirationSeconds) : seconds,
    ...(extended ? { warnAfterSeconds: seconds } : {}),
    ...(bound ? { bound } : {}),
  });
  return { token, expirationTimestamp: formatTime(now + seconds * 1000) };
}

const isForThisServer = ({ backend }: Scope, audiences: readonly string[]): boolean =>
  audiences.every((audience) => backend.tokens.apiAudiences.includes(audience));

/** Core resources that a token can be bound to. */
const BOUND_RESOURCES: ReadonlyMap<string, string> = new Map(
  Object.entries({ Pod: 'pods', Secret: 'secrets', Node: 'nodes' }),
);

async function boundObject(
  scope: Scope,
  { boundObjectRef: ref }: NonNullable<TokenRequest['spec']>,
): Promise<BoundObject | undefined> {
  if (!ref) return undefined;
  const { kind = '', apiVersion = '', name = '', uid } = ref;
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion];
  const plural = group === '' ? BOUND_RESOURCES.get(kind) : undefined;
  if (!plural) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  if (name === '') throw badRequest('Name parameter required.');
  const { objects, registry } = scope.backend;
  const namespace = kind === 'Node' ? '' : scope.place.namespace;
  const { object } = await objects.get(registry.require('', 'v1', plural), { namespace, name });
  const nodeName = kind === 'Pod' ? (object as Pod & KubeObject).spec?.nodeName : undefined;
  if (kind === 'Pod' && (object as Pod & KubeObject).spec?.serviceAccountName !== scope.place.name) {
    throw badRequest(
      `cannot bind token for serviceaccount "${scope.place.name}" to pod running with different serviceaccount name.`,
    );
  }
  if (uid && uid !== object.metadata.uid) {
    throw conflict(
      { group, resource: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  }
  const node = nodeName
    ? { name: nodeName, uid: registry.lookup('', 'v1', 'nodes', '', nodeName)?.metadata.uid ?? '' }
    : undefined;
  return { kind: kind as BoundObject['kind'], name, uid: object.metadata.uid!, ...(node ? { node } : {}) };
}
