/** TokenReview: whose token is this. SelfSubjectReview: who am I. */
import type { TokenReview } from '../../api/generated/authentication-v1.ts';
import { formatTime } from '../../machinery/time/index.ts';

import { isStatusError } from '../../machinery/status.ts';
import type { UserInfo } from '../request.ts';
import { review } from './review.ts';

export const selfSubjectReview = review((scope, object) => {
  const creationTimestamp = formatTime(scope.backend.ctx.clock.now());
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, creationTimestamp }, status: { userInfo: userInfo(scope.user) } };
});

export const tokenReview = review(async (scope, object) => {
  const { spec } = object as unknown as TokenReview;
  try {
    const found = await scope.backend.tokens.review(spec.token ?? '', spec.audiences ?? []);
    if (!found) return { ...object, status: { user: {}, error: '[invalid bearer token, unknown]' } };
    return { ...object, status: { authenticated: true, user: userInfo(found.user), ...(found.audiences.length > 0 ? { audiences: found.audiences } : {}) } };
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return { ...object, status: { user: {}, error: error.message } };
  }
});

function userInfo(user: UserInfo): object {
  return {
    username: user.name,
    ...(user.uid ? { uid: user.uid } : {}),
    ...(user.groups.length > 0 ? { groups: user.groups } : {}),
    ...(user.extra && Object.keys(user.extra).length > 0 ? { extra: user.extra } : {}),
  };
}
