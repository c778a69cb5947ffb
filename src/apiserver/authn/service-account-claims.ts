/**
 * Validates the claims of ServiceAccount tokens against the current objects: a bound token becomes invalid when its
 * ServiceAccount, pod, node or Secret is deleted, a legacy token when its Secret no longer has it.
 */
import type { JWTPayload } from 'jose';
import { quote } from '../../base/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { UserInfo } from '../request/request.ts';
import { AUTHENTICATED, InvalidTokenError } from './authenticator.ts';
import { constantTimeEqual } from './constant-time-equal.ts';
import type { LegacyTokenTracker, SecretObject, ServiceAccountObject } from './legacy-token-tracker.ts';

interface Reference {
  readonly name: string;
  readonly uid: string;
}

export interface KubernetesClaims {
  readonly namespace: string;
  readonly serviceaccount: Reference;
  readonly pod?: Reference;
  readonly node?: Reference;
  readonly secret?: Reference;
  readonly warnafter?: number;
}

const EXTRA = 'authentication.kubernetes.io/';
/** Tokens stay valid for a minute after the deletion timestamp, so that pods can finish. */
const DELETION_LEEWAY_MS = 60_000;
const INVALIDATED = 'service account token has been invalidated';
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';

export function checkBoundClaims(registry: Registry, claims: KubernetesClaims, now: number): void {
  const { namespace, serviceaccount, pod, node, secret } = claims;
  const account = registry.lookup('', 'v1', 'serviceaccounts', namespace, serviceaccount.name);
  if (!account) throw new InvalidTokenError(`serviceaccounts ${quote(serviceaccount.name)} not found`);
  if (isGone(account, now))
    throw new InvalidTokenError(`service account ${namespace}/${serviceaccount.name} has been deleted`);
  if (account.metadata.uid !== serviceaccount.uid) {
    throw new InvalidTokenError(
      `service account UID (${account.metadata.uid}) does not match claim (${serviceaccount.uid})`,
    );
  }
  if (secret) checkBoundObject(registry, now, { plural: 'secrets', kind: 'secret', namespace, reference: secret });
  if (pod) checkBoundObject(registry, now, { plural: 'pods', kind: 'pod', namespace, reference: pod });
  // The node claim of a pod-bound token is informational. A node-bound token depends on the node.
  else if (node) checkBoundObject(registry, now, { plural: 'nodes', kind: 'node', namespace: '', reference: node });
}

interface BoundReference {
  readonly plural: string;
  readonly kind: string;
  readonly namespace: string;
  readonly reference: Reference;
}

function checkBoundObject(
  registry: Registry,
  now: number,
  { plural, kind, namespace, reference }: BoundReference,
): void {
  const object = registry.lookup('', 'v1', plural, namespace, reference.name);
  if (!object || isGone(object, now)) throw new InvalidTokenError(INVALIDATED);
  const { uid } = object.metadata;
  if (uid !== reference.uid)
    throw new InvalidTokenError(
      `${kind} UID (${uid}) does not match service account ${kind} ref claim (${reference.uid})`,
    );
}

function isGone({ metadata }: KubeObject, now: number): boolean {
  return metadata.deletionTimestamp !== undefined && now > Date.parse(metadata.deletionTimestamp) + DELETION_LEEWAY_MS;
}

/** A legacy token is valid as long as its Secret contains it. */
export function checkLegacyClaims(
  registry: Registry,
  payload: JWTPayload,
  token: string,
  tracker: LegacyTokenTracker,
): void {
  const claim = (name: string): string => String(payload[`kubernetes.io/serviceaccount/${name}`] ?? '');
  const [namespace, secretName, name, uid] = [
    claim('namespace'),
    claim('secret.name'),
    claim('service-account.name'),
    claim('service-account.uid'),
  ];
  if (payload.sub !== `system:serviceaccount:${namespace}:${name}`) throw new InvalidTokenError('sub claim is invalid');
  for (const [value, missing] of [
    [namespace, 'namespace'],
    [secretName, 'secretName'],
    [name, 'serviceAccountName'],
    [uid, 'serviceAccountUID'],
  ]) {
    if (value === '') throw new InvalidTokenError(`${missing} claim is missing`);
  }
  const secret = registry.lookup('', 'v1', 'secrets', namespace, secretName) as unknown as SecretObject | undefined;
  if (!secret || secret.metadata.deletionTimestamp) throw new InvalidTokenError('Token has been invalidated');
  const held = Buffer.from(secret.data?.['token'] ?? '', 'base64').toString('utf8');
  if (!constantTimeEqual(held, token)) throw new InvalidTokenError("Token does not match server's copy");
  const account = registry.lookup('', 'v1', 'serviceaccounts', namespace, name) as unknown as
    | ServiceAccountObject
    | undefined;
  if (!account) throw new InvalidTokenError(`serviceaccounts ${quote(name)} not found`);
  if (account.metadata.deletionTimestamp)
    throw new InvalidTokenError(`ServiceAccount ${namespace}/${name} has been deleted`);
  if (account.metadata.uid !== uid)
    throw new InvalidTokenError(`ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`);
  if (secret.metadata.labels?.[INVALID_SINCE] !== undefined) {
    tracker.recordInvalidUse();
    throw new InvalidTokenError(
      `the token in secret ${namespace}/${secretName} for service account ${namespace}/${name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token`,
    );
  }
  tracker.recordUse(secret, account);
}

export function serviceAccountUser(payload: JWTPayload, claims: KubernetesClaims): UserInfo {
  const { namespace, serviceaccount, pod, node } = claims;
  const extra: Record<string, string[]> = {};
  if (payload.jti) extra[`${EXTRA}credential-id`] = [`JTI=${payload.jti}`];
  if (node) {
    extra[`${EXTRA}node-name`] = [node.name];
    if (node.uid) extra[`${EXTRA}node-uid`] = [node.uid];
  }
  if (pod) {
    extra[`${EXTRA}pod-name`] = [pod.name];
    extra[`${EXTRA}pod-uid`] = [pod.uid];
  }
  return {
    name: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    uid: serviceaccount.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED],
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}
