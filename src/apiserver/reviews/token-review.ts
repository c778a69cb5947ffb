/** TokenReview and SelfSubjectReview. */
import type { TokenReview } from '../../api/generated/authentication-v1.ts';
import { formatTime } from '../../base/index.ts';
import { badRequest } from '../../machinery/errors/index.ts';
import { InvalidTokenError } from '../authn/authenticator.ts';
import type { UserInfo } from '../request/request.ts';
import { review } from './review.ts';

export const selfSubjectReview = review((scope, object) => {
  const creationTimestamp = formatTime(scope.backend.ctx.clock.now());
  return { ...object, metadata: { creationTimestamp }, status: { userInfo: userInfo(scope.user) } };
});

export const tokenReview = review(async (scope, object) => {
  const { spec } = object as unknown as TokenReview;
  const { bearerTokens } = scope.backend;
  if (!spec.token) throw badRequest('token is required for TokenReview in authentication');
  try {
    const { user, audiences } = await bearerTokens.review(spec.token ?? '', spec.audiences ?? []);
    const validAudiences =
      audiences ??
      (spec.audiences?.length
        ? bearerTokens.apiAudiences.filter((audience) => spec.audiences!.includes(audience))
        : bearerTokens.apiAudiences);
    if (validAudiences.length === 0) return { ...object, status: { user: {}, error: NO_COMMON_AUDIENCE } };
    return { ...object, status: { authenticated: true, user: userInfo(user), audiences: validAudiences } };
  } catch (error) {
    if (!(error instanceof InvalidTokenError)) throw error;
    return { ...object, status: { user: {}, error: error.message } };
  }
});

const NO_COMMON_AUDIENCE = 'token audiences are not valid for the requested audiences';

function userInfo(user: UserInfo): object {
  return {
    username: user.name,
    ...(user.uid ? { uid: user.uid } : {}),
    ...(user.groups.length > 0 ? { groups: user.groups } : {}),
    ...(user.extra && Object.keys(user.extra).length > 0 ? { extra: user.extra } : {}),
  };
}
