// Generated from src/api by `npm run generate`. Do not edit.
import type { UserInfo } from './authentication-v1.ts';
import type { GroupVersionKind, GroupVersionResource, Status } from './meta-v1.ts';

export type Operation = string;

export type PatchType = string;

/** A request that a webhook is asked about. */
export interface AdmissionRequest {
  /** ID of this call; the answer repeats it. */
  uid?: string;
  /** Kind of the object, as the webhook is given it. */
  kind?: GroupVersionKind;
  /** Resource of the request, as the webhook matches it. */
  resource?: GroupVersionResource;
  /** Subresource of the request, if any. */
  subResource?: string;
  /** Kind in the original request, before conversion. */
  requestKind?: GroupVersionKind;
  /** Resource in the original request, before conversion. */
  requestResource?: GroupVersionResource;
  /** Subresource in the original request. */
  requestSubResource?: string;
  /** Name of the object; may be empty when the server generates it. */
  name?: string;
  /** Namespace of the object, if any. */
  namespace?: string;
  /** CREATE, UPDATE, DELETE or CONNECT. */
  operation?: string;
  /** Who makes the request. */
  userInfo?: UserInfo;
  /** The new object. */
  object?: unknown;
  /** The existing object, for UPDATE and DELETE. */
  oldObject?: unknown;
  /** Whether nothing will be stored; default false. */
  dryRun?: boolean;
  /** Options of the request, such as CreateOptions. */
  options?: unknown;
}

/** A webhook's answer. */
export interface AdmissionResponse {
  /** ID of the call, from the request. */
  uid?: string;
  /** Whether the request may go on. */
  allowed?: boolean;
  /** Why the request is denied; ignored if it is allowed. */
  status?: Status;
  /** Changes to the object, as a JSON patch in base64. */
  patch?: string;
  /** Format of the patch: JSONPatch. */
  patchType?: string;
  /** Annotations for the audit log. */
  auditAnnotations?: Record<string, string>;
  /** Warnings for the client, each at most 120 characters or so. */
  warnings?: string[];
}

/** Carries a request to a webhook and its answer back. */
export interface AdmissionReview {
  apiVersion?: string;
  kind?: string;
  /** The request. */
  request?: AdmissionRequest;
  /** The answer. */
  response?: AdmissionResponse;
}
