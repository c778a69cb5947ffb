/** Anonymous requests: a request without credentials is system:anonymous if anonymous authentication is enabled. */
import type { ApiRequest, UserInfo } from '../request/request.ts';
import type { Authenticator } from './authenticator.ts';

const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

export interface AnonymousConfig {
  readonly enabled: boolean;
  /** The paths that allow anonymous requests; all paths if empty. */
  readonly paths?: readonly string[];
}

export class AnonymousAuthenticator implements Authenticator {
  readonly name = 'anonymous';
  #paths: ReadonlySet<string> | undefined;
  readonly #config: AnonymousConfig;

  constructor(config: AnonymousConfig = { enabled: true }) {
    this.#config = config;
    this.#paths = config.paths?.length ? new Set(config.paths) : undefined;
  }

  authenticate({ path }: ApiRequest): UserInfo | undefined {
    if (!this.#config.enabled || (this.#paths && !this.#paths.has(path))) return undefined;
    return ANONYMOUS;
  }
}
