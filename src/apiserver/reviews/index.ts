/** The review resources (TokenReview, SubjectAccessReview and others): a POST returns the review with its status; nothing is stored. */
import type { Verb } from '../verbs/scope.ts';
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
} from './access-review.ts';
import { selfSubjectReview, tokenReview } from './token-review.ts';

export const reviewHandlers: Record<string, Readonly<Record<string, Verb>> | undefined> = {
  'authorization.k8s.io/subjectaccessreviews': { create: subjectAccessReview },
  'authorization.k8s.io/localsubjectaccessreviews': { create: localSubjectAccessReview },
  'authorization.k8s.io/selfsubjectaccessreviews': { create: selfSubjectAccessReview },
  'authorization.k8s.io/selfsubjectrulesreviews': { create: selfSubjectRulesReview },
  'authentication.k8s.io/selfsubjectreviews': { create: selfSubjectReview },
  'authentication.k8s.io/tokenreviews': { create: tokenReview },
};
