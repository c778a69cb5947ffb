/** Bearer tokens: in the Authorization header, or in the subprotocol of a WebSocket, which cannot have headers in a browser. */
import { whenDone } from '../../base/index.ts';
import { silentLogger, type Logger } from '../../kernel/index.ts';
import { unauthorized } from '../../machinery/errors/index.ts';
import { headerOf, type ApiRequest, type UserInfo } from '../request/request.ts';
import {
  withAuthenticated,
  TokenRefused,
  type Annotate,
  type Authenticator,
  type TokenAnswer,
  type TokenAuthenticator,
} from './authenticator.ts';
import { isPlainIdentity } from './identity-text.ts';

const PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

export class BearerTokens implements Authenticator {
  readonly name = 'token';
  readonly #authenticators: readonly TokenAuthenticator[];
  readonly #logger: Logger;

  constructor(
    authenticators: readonly TokenAuthenticator[],
    /** Audiences that this server is; a token must be for one of them. */
    readonly apiAudiences: readonly string[],
    logger: Logger = silentLogger,
  ) {
    this.#authenticators = authenticators;
    this.#logger = logger;
  }

  authenticate(request: ApiRequest, annotate: Annotate): Promise<UserInfo> | UserInfo | undefined {
    const token = tokenOf(request);
    if (token === undefined) return undefined;
    return whenDone(this.#ask({ token, audiences: this.apiAudiences, annotate }, 0), userOf);
  }

  /** Whose token it is, for TokenReview. Throws a TokenRefused that says why it is nobody's. */
  async review(token: string, audiences: readonly string[]): Promise<TokenAnswer> {
    const wanted = audiences.length > 0 ? audiences : this.apiAudiences;
    const reasons: string[] = [];
    const answer = await this.#ask(
      { token, audiences: wanted, annotate: () => {}, refused: (reason) => reasons.push(reason) },
      0,
    );
    if (answer && isPlainIdentity(answer.user)) return answer;
    throw new TokenRefused(
      reasons.length === 0 ? 'invalid bearer token' : `[${['invalid bearer token', ...reasons].join(', ')}]`,
    );
  }

  /** One authenticator after the other; without a promise as long as those asked know the answer at once. */
  #ask(question: Question, from: number): Promise<TokenAnswer | undefined> | TokenAnswer | undefined {
    for (let i = from; i < this.#authenticators.length; i++) {
      try {
        const answer = this.#authenticators[i]!.authenticateToken(
          question.token,
          question.audiences,
          question.annotate,
        );
        if (answer instanceof Promise) return this.#askOn(answer, question, i + 1);
        if (answer) return complete(answer);
      } catch (error) {
        this.#noteRefusal(question, error);
      }
    }
    return undefined;
  }

  async #askOn(
    pending: Promise<TokenAnswer | undefined>,
    question: Question,
    next: number,
  ): Promise<TokenAnswer | undefined> {
    try {
      const answer = await pending;
      if (answer) return complete(answer);
    } catch (error) {
      this.#noteRefusal(question, error);
    }
    return this.#ask(question, next);
  }

  /** A token that somebody failed to read is one that nobody recognised: whoever sends it learns nothing else. */
  #noteRefusal({ refused }: Question, error: unknown): void {
    if (!(error instanceof TokenRefused)) this.#logger.error(error, 'Unable to authenticate the request');
    refused?.(error instanceof Error ? error.message : String(error));
  }
}

interface Question {
  readonly token: string;
  readonly audiences: readonly string[];
  readonly annotate: Annotate;
  /** Told why a token was refused. */
  readonly refused?: (reason: string) => void;
}

/** A token that nobody recognised is a wrong credential, not a missing one. */
function userOf(answer: TokenAnswer | undefined): UserInfo {
  if (!answer) throw unauthorized();
  return answer.user;
}

/** The same object for the same user: what is known of a user is kept with it. */
function complete(answer: TokenAnswer): TokenAnswer {
  const { user } = answer;
  const groups = withAuthenticated(user.groups);
  return groups === user.groups ? answer : { ...answer, user: { ...user, groups } };
}

function tokenOf(request: ApiRequest): string | undefined {
  const header = headerOf(request, 'authorization');
  const token = header && tokenInHeader(header);
  if (token) return token;
  const protocols = headerOf(request, 'sec-websocket-protocol');
  return protocols?.includes(PROTOCOL) ? tokenInProtocol(protocols) : undefined;
}

/** The same string for the same header: what is known of a token is looked up by it. */
const tokens = new Map<string, string>();
const REMEMBERED = 10_000;

function tokenInHeader(header: string): string | undefined {
  const known = tokens.get(header);
  if (known !== undefined) return known;
  const token = /^\s*bearer\s+(\S+)/i.exec(header)?.[1];
  if (token === undefined) return undefined;
  if (tokens.size >= REMEMBERED) tokens.clear();
  tokens.set(header, token);
  return token;
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
