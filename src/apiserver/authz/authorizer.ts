/** The contract of authorizers. The first one that allows or denies decides; if all have no opinion, the request is denied. */
import type { PolicyRule } from '../../api/generated/rbac-v1.ts';
import type { RbacFinding } from '../../component-helpers/index.ts';
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
  /** Only for non-resource requests. */
  readonly path: string;
  /** The selectors of the request, as far as they could be parsed. */
  readonly fieldSelector?: readonly FieldRequirement[];
  readonly labelSelector?: readonly LabelRequirement[];
}

export interface Decision {
  readonly decision: 'allow' | 'deny' | 'no-opinion';
  readonly reason: string;
  /** Evaluation errors, for the status of a SubjectAccessReview. */
  readonly error?: string;
}

/** The rules of a user in a namespace and cluster-wide, as far as the authorizer knows them. */
export interface ResolvedRules {
  readonly rules: readonly PolicyRule[];
  readonly incomplete: boolean;
  readonly error?: string;
}

/** One authorizer's answer, with what it was decided by. */
export interface AuthorizerAnswer extends AuthorizerDetails {
  readonly authorizer: string;
  readonly decision: Decision['decision'] | 'not-asked';
  readonly reason: string;
  readonly error?: string;
}

interface AuthorizerDetails {
  readonly rbac?: RbacFinding;
  /** The nearest policies of an authorizer that is not RBAC, one a line. */
  readonly nearest?: readonly string[];
}

export interface Authorizer {
  readonly name: string;
  authorize(attributes: AuthorizationAttributes): Decision | Promise<Decision>;
  rulesFor?(user: UserInfo, namespace: string): ResolvedRules;
  /** Requests that it may have an opinion about; absent: all. Explanations leave it out for others. */
  concerns?(attributes: AuthorizationAttributes): boolean;
  /** What it decides a request by. */
  explain?(attributes: AuthorizationAttributes): AuthorizerDetails;
}

export const NO_OPINION: Decision = { decision: 'no-opinion', reason: '' };
export const ALLOW: Decision = { decision: 'allow', reason: '' };
export const noOpinion = (reason: string): Decision => ({ decision: 'no-opinion', reason });
