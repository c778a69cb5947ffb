/** Who is asking. Each way to prove an identity is an Authenticator; the first that recognises a credential decides. */
import type { ApiRequest, UserInfo } from '../request.ts';

export interface Authenticator {
  readonly name: string;
  /** undefined: no credential of this kind was shown. Throws a 401 StatusError for a credential that is wrong. */
  authenticate(request: ApiRequest): Promise<UserInfo | undefined> | UserInfo | undefined;
}
