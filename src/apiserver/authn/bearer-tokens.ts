/** Bearer tokens: in the Authorization header, or in the subprotocol of a WebSocket, which cannot have headers in a browser. */
import { unauthorized } from '../../machinery/status.ts';
import { headerOf, type ApiRequest, type UserInfo } from '../request.ts';
import { withAuthenticated, TokenRefused, type Annotate, type Authenticator, type TokenAnswer, type TokenAuthenticator } from './authenticator.ts';

const PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

export class BearerTokens implements Authenticator {
  readonly name = 'token';

  constructor(
    private readonly authenticators: readonly TokenAuthenticator[],
    /** Audiences that this server is; a token must be for one of them. */
    readonly apiAudiences: readonly string[],
  ) {}

  authenticate(request: ApiRequest, annotate: Annotate): Promise<UserInfo | undefined> | undefined {
    const token = tokenOf(request);
    return token === undefined ? undefined : this.#authenticated(token, annotate);
  }

  /** Whose token it is, for TokenReview. Throws a TokenRefused that says why it is nobody's. */
  async review(token: string, audiences: readonly string[]): Promise<TokenAnswer> {
    const wanted = audiences.length > 0 ? audiences : this.apiAudiences;
    const reasons: string[] = [];
    const answer = await this.#ask(token, wanted, (reason) => reasons.push(reason), () => {});
    if (answer) return answer;
    throw new TokenRefused(reasons.length === 0 ? 'invalid bearer token' : `[${['invalid bearer token', ...reasons].join(', ')}]`);
  }

  async #authenticated(token: string, annotate: Annotate): Promise<UserInfo> {
    const answer = await this.#ask(token, this.apiAudiences, () => {}, annotate);
    // A token that nobody recognised is a wrong credential, not a missing one.
    if (!answer) throw unauthorized();
    return answer.user;
  }

  async #ask(token: string, audiences: readonly string[], refused: (reason: string) => void, annotate: Annotate): Promise<TokenAnswer | undefined> {
    for (const authenticator of this.authenticators) {
      try {
        const answer = await authenticator.authenticateToken(token, audiences, annotate);
        if (answer) return complete(answer);
      } catch (error) {
        if (!(error instanceof TokenRefused)) throw error;
        refused(error.message);
      }
    }
    return undefined;
  }
}

/** The same object for the same user: what is known of a user is kept with it. */
function complete(answer: TokenAnswer): TokenAnswer {
  const { user } = answer;
  const groups = withAuthenticated(user.groups);
  return groups === user.groups ? answer : { ...answer, user: { ...user, groups } };
}

function tokenOf(request: ApiRequest): string | undefined {
  const header = headerOf(request, 'authorization');
  if (header) {
    const match = /^\s*bearer\s+(\S+)/i.exec(header);
    if (match) return match[1]!;
  }
  const protocols = headerOf(request, 'sec-websocket-protocol');
  return protocols?.includes(PROTOCOL) ? tokenInProtocol(protocols) : undefined;
}

function tokenInProtocol(protocols: string): string | undefined {
  for (const protocol of protocols.split(',')) {
    const name = protocol.trim();
    if (!name.startsWith(PROTOCOL)) continue;
    const token = Buffer.from(name.slice(PROTOCOL.length), 'base64url').toString('utf8');
    if (token !== '') return token;
  }
  return undefined;
}
