/** A path outside the resources: discovery, OpenAPI, health, metrics, version, OIDC documents. */
import type { Exchange } from './exchange.ts';
import type { ApiResponse, UserInfo } from './request.ts';

export interface Endpoint {
  /** The exact path, or with a trailing `*` everything below it. */
  readonly path: string;
  readonly methods?: readonly string[];
  /** undefined: no such thing below this path. */
  serve(exchange: Exchange, user: UserInfo): Promise<ApiResponse | undefined> | ApiResponse | undefined;
}
