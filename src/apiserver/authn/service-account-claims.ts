/** Whether what a ServiceAccount token says still holds: checked live, so that a token dies with what it is bound to. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { quote } from '../../base/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { UserInfo } from '../request/request.ts';
import { AUTHENTICATED, TokenRefused } from './authenticator.ts';
import type { LegacyTokenUses, SecretObject, ServiceAccountObject } from './legacy-token-uses.ts';

export interface Reference {
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
/** What is being deleted keeps its identity for a minute more, to finish what it does. */
const DELETION_LEEWAY_MS = 60_000;
const INVALIDATED = 'service account token has been invalidated';
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';

export function checkBoundClaims(registry: Registry, claims: KubernetesClaims, now: number): void {
  const { namespace, serviceaccount, pod, node, secret } = claims;
  const account = registry.lookup('', 'v1', 'serviceaccounts', namespace, serviceaccount.name);
  if (!account) throw new TokenRefused(`serviceaccounts ${quote(serviceaccount.name)} not found`);
  if (isGone(account, now))
    throw new TokenRefused(`service account ${namespace}/${serviceaccount.name} has been deleted`);
  if (account.metadata.uid !== serviceaccount.uid) {
    throw new TokenRefused(
      `service account UID (${account.metadata.uid}) does not match claim (${serviceaccount.uid})`,
    );
  }
  if (secret) mustExist(registry, now, { plural: 'secrets', kind: 'secret', namespace, reference: secret });
  if (pod) mustExist(registry, now, { plural: 'pods', kind: 'pod', namespace, reference: pod });
  // The node of a bound pod is information; a token bound to the node itself depends on it.
  else if (node) mustExist(registry, now, { plural: 'nodes', kind: 'node', namespace: '', reference: node });
}

interface Bound {
  readonly plural: string;
  readonly kind: string;
  readonly namespace: string;
  readonly reference: Reference;
}

function mustExist(registry: Registry, now: number, { plural, kind, namespace, reference }: Bound): void {
  const object = registry.lookup('', 'v1', plural, namespace, reference.name);
  if (!object || isGone(object, now)) throw new TokenRefused(INVALIDATED);
  const { uid } = object.metadata;
  if (uid !== reference.uid)
    throw new TokenRefused(`${kind} UID (${uid}) does not match service account ${kind} ref claim (${reference.uid})`);
}

function isGone({ metadata }: KubeObject, now: number): boolean {
  return metadata.deletionTimestamp !== undefined && now > Date.parse(metadata.deletionTimestamp) + DELETION_LEEWAY_MS;
}

/** A token from a Secret lives as long as the Secret holds it. */
export function checkLegacyClaims(registry: Registry, payload: JWTPayload, token: string, uses: LegacyTokenUses): void {
  const claim = (name: string): string => String(payload[`kubernetes.io/serviceaccount/${name}`] ?? '');
  const [namespace, secretName, name, uid] = [
    claim('namespace'),
    claim('secret.name'),
    claim('service-account.name'),
    claim('service-account.uid'),
  ];
  if (payload.sub !== `system:serviceaccount:${namespace}:${name}`) throw new TokenRefused('sub claim is invalid');
  for (const [value, missing] of [
    [namespace, 'namespace'],
    [secretName, 'secretName'],
    [name, 'serviceAccountName'],
    [uid, 'serviceAccountUID'],
  ]) {
    if (value === '') throw new TokenRefused(`${missing} claim is missing`);
  }
  const secret = registry.lookup('', 'v1', 'secrets', namespace, secretName) as unknown as SecretObject | undefined;
  if (!secret || secret.metadata.deletionTimestamp) throw new TokenRefused('Token has been invalidated');
  const held = Buffer.from(secret.data?.['token'] ?? '', 'base64').toString('utf8');
  if (!sameText(held, token)) throw new TokenRefused("Token does not match server's copy");
  const account = registry.lookup('', 'v1', 'serviceaccounts', namespace, name) as unknown as
    | ServiceAccountObject
    | undefined;
  if (!account) throw new TokenRefused(`serviceaccounts ${quote(name)} not found`);
  if (account.metadata.deletionTimestamp)
    throw new TokenRefused(`ServiceAccount ${namespace}/${name} has been deleted`);
  if (account.metadata.uid !== uid)
    throw new TokenRefused(`ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`);
  if (secret.metadata.labels?.[INVALID_SINCE] !== undefined) {
    uses.refused();
    throw new TokenRefused(
      `the token in secret ${namespace}/${secretName} for service account ${namespace}/${name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token`,
    );
  }
  uses.used(secret, account);
}

/** Equal texts, without telling by the time it takes how much of them is equal. */
function sameText(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
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
