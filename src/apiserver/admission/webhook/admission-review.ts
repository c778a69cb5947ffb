/** AdmissionReview: encodes the request to an admission webhook, and verifies its response. */
import type { AdmissionResponse, AdmissionReview } from '../../../api/generated/admission-v1.ts';
import type { Status } from '../../../api/generated/meta-v1.ts';
import { encodeJson, isRecord, quote } from '../../../base/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { namespaceOf } from '../request-matching.ts';
import { asDeclared, type MatchedVersion } from '../versioned-objects.ts';

export interface ReviewedObjects {
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

const API_VERSION = 'admission.k8s.io/v1';

export function encodeAdmissionReview(
  uid: string,
  attributes: AdmissionAttributes,
  matched: MatchedVersion,
  objects: ReviewedObjects,
): Buffer {
  const { served, kind, subresource, user } = attributes;
  const groupVersionKind = (of: MatchedVersion['kind']): { group: string; version: string; kind: string } => ({
    group: of.group,
    version: of.version,
    kind: of.kind,
  });
  const groupVersionResource = (
    of: MatchedVersion['resource'],
  ): { group: string; version: string; resource: string } => ({
    group: of.group,
    version: of.version,
    resource: of.plural,
  });
  const namespace = namespaceOf(attributes);
  const request = {
    uid,
    kind: groupVersionKind(matched.kind),
    resource: groupVersionResource(matched.resource),
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: groupVersionKind(kind),
    requestResource: groupVersionResource(served),
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(attributes.name === '' ? {} : { name: attributes.name }),
    ...(namespace === '' ? {} : { namespace }),
    operation: attributes.operation,
    userInfo: {
      username: user.name,
      ...(user.uid ? { uid: user.uid } : {}),
      ...(user.groups.length > 0 ? { groups: [...user.groups] } : {}),
      ...(user.extra && Object.keys(user.extra).length > 0 ? { extra: user.extra } : {}),
    },
    object: asDeclared(matched, objects.object),
    oldObject: asDeclared(matched, objects.oldObject),
    dryRun: attributes.dryRun,
    options: attributes.options ?? null,
  };
  return encodeJson({ kind: 'AdmissionReview', apiVersion: API_VERSION, request });
}

export interface AdmissionResult {
  readonly allowed: boolean;
  readonly status: Partial<Status> | undefined;
  /** JSON, decoded from base64; empty if there is no patch. */
  readonly patch: Buffer;
  readonly patchType: string;
  readonly auditAnnotations: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

const NO_PATCH = Buffer.alloc(0);

/** Throws an error that names the invalid field of the response. */
export function verifyAdmissionResponse(uid: string, mutating: boolean, body: unknown): AdmissionResult {
  const review = isRecord(body) ? (body as Partial<AdmissionReview>) : {};
  const response = isRecord(review.response) ? (review.response as AdmissionResponse) : undefined;
  if (!response) throw new Error('webhook response was absent');
  if (response.uid !== uid) throw new Error(`expected response.uid=${quote(uid)}, got ${quote(response.uid ?? '')}`);
  if (review.apiVersion !== API_VERSION || review.kind !== 'AdmissionReview') {
    throw new Error(
      `expected webhook response of ${API_VERSION}, Kind=AdmissionReview, got ${kindText(review.apiVersion ?? '', review.kind ?? '')}`,
    );
  }
  const patch = response.patch ? Buffer.from(response.patch, 'base64') : NO_PATCH;
  checkPatch(mutating, patch, response.patchType);
  return {
    allowed: response.allowed === true,
    status: isRecord(response.status) ? response.status : undefined,
    patch,
    patchType: response.patchType ?? '',
    auditAnnotations: isRecord(response.auditAnnotations) ? response.auditAnnotations : {},
    warnings: Array.isArray(response.warnings) ? response.warnings.map(String) : [],
  };
}

function kindText(apiVersion: string, kind: string): string {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return `${group}/${version}, Kind=${kind}`;
}

function checkPatch(mutating: boolean, patch: Buffer, patchType: string | undefined): void {
  if (!mutating) {
    if (patch.length > 0) throw new Error('validating webhook may not return response.patch');
    if (patchType !== undefined) throw new Error('validating webhook may not return response.patchType');
    return;
  }
  if (patch.length > 0 && patchType === undefined)
    throw new Error('webhook returned response.patch but not response.patchType');
  if (patch.length === 0 && patchType !== undefined)
    throw new Error('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw new Error('webhook returned invalid response.patchType of ""');
}
