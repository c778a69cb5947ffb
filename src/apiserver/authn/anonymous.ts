/** Whoever shows no credential at all is system:anonymous. */
import { unauthorized } from '../../machinery/status.ts';
import { headerOf, type ApiRequest, type UserInfo } from '../request.ts';
import type { Authenticator } from './authenticator.ts';

const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

export const anonymousAuthenticator: Authenticator = {
  name: 'anonymous',
  authenticate(request: ApiRequest): UserInfo {
    // A bearer token that nobody recognised is a wrong credential, not a missing one.
    if (/^bearer\s+\S/i.test(headerOf(request, 'authorization') ?? '')) throw unauthorized();
    return ANONYMOUS;
  },
};
