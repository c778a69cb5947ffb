// Generated from src/api by `npm run generate`. Do not edit.
import type { UserInfo } from './authentication-v1.ts';
import type { GroupVersionKind, GroupVersionResource, Status } from './meta-v1.ts';

export type Operation = string;

export type PatchType = string;

/**  */
export interface AdmissionRequest {
  /**  */
  uid?: string;
  /**  */
  kind?: GroupVersionKind;
  /**  */
  resource?: GroupVersionResource;
  /**  */
  subResource?: string;
  /**  */
  requestKind?: GroupVersionKind;
  /**  */
  requestResource?: GroupVersionResource;
  /**  */
  requestSubResource?: string;
  /**  */
  name?: string;
  /**  */
  namespace?: string;
  /**  */
  operation?: string;
  /**  */
  userInfo?: UserInfo;
  /**  */
  object?: unknown;
  /**  */
  oldObject?: unknown;
  /**  */
  dryRun?: boolean;
  /**  */
  options?: unknown;
}

/**  */
export interface AdmissionResponse {
  /**  */
  uid?: string;
  /**  */
  allowed?: boolean;
  /**  */
  status?: Status;
  /**  */
  patch?: string;
  /**  */
  patchType?: string;
  /**  */
  auditAnnotations?: Record<string, string>;
  /**  */
  warnings?: string[];
}

/**  */
export interface AdmissionReview {
  apiVersion?: string;
  kind?: string;
  /**  */
  request?: AdmissionRequest;
  /**  */
  response?: AdmissionResponse;
}
