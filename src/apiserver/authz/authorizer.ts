/** May they. Authorizers are asked in order; the first that allows or denies decides, and no opinion at all denies. */
import type { UserInfo } from '../request.ts';

export interface AuthorizationAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResourceRequest: boolean;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** For requests that are not for a resource. */
  readonly path: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export interface Decision {
  readonly decision: 'allow' | 'deny' | 'no-opinion';
  readonly reason: string;
  /** Evaluation errors that did not decide, for SubjectAccessReview's status. */
  readonly error?: string;
}

export interface Authorizer {
  readonly name: string;
  authorize(attributes: AuthorizationAttributes): Decision | Promise<Decision>;
}
