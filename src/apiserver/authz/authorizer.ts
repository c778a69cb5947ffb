/** May they. Authorizers are asked in order; the first that allows or denies decides, and no opinion at all denies. */
import type { PolicyRule } from '../../api/generated/rbac-v1.ts';
import type { UserInfo } from '../request/request.ts';
import type { FieldRequirement, LabelRequirement } from './selectors.ts';

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
  /** What the request selects by, as far as it could be read; absent when it does not select. */
  readonly fieldSelector?: readonly FieldRequirement[];
  readonly labelSelector?: readonly LabelRequirement[];
}

export interface Decision {
  readonly decision: 'allow' | 'deny' | 'no-opinion';
  readonly reason: string;
  /** Evaluation errors that did not decide, for SubjectAccessReview's status. */
  readonly error?: string;
}

/** Everything that a user may do in a namespace (and cluster-wide), as far as the authorizer can tell. */
export interface ResolvedRules {
  readonly rules: readonly PolicyRule[];
  readonly incomplete: boolean;
  readonly error?: string;
}

export interface Authorizer {
  readonly name: string;
  authorize(attributes: AuthorizationAttributes): Decision | Promise<Decision>;
  rulesFor?(user: UserInfo, namespace: string): ResolvedRules;
}

export const NO_OPINION: Decision = { decision: 'no-opinion', reason: '' };
export const ALLOW: Decision = { decision: 'allow', reason: '' };
export const noOpinion = (reason: string): Decision => ({ decision: 'no-opinion', reason });
