/** A path outside the resources: discovery, OpenAPI, health, metrics, version, OIDC documents. */
import type { Exchange } from './exchange.ts';
import type { ApiResponse, UserInfo } from './request.ts';

export interface Endpoint {
  /** The exact path, or with a trailing `*` everything below it. */
  readonly path: string;
  /**
   * A plain handler has exactly this path and takes every method. The others are web services: their path may end in
   * slashes, and they take GET.
   */
  readonly plain?: true;
  /** For everything below a path: what of it the index names. */
  paths?(): readonly string[];
  /** undefined: no such page below this path. A handler of everything below a path checks the method itself. */
  serve(exchange: Exchange, user: UserInfo): Promise<ApiResponse | undefined> | ApiResponse | undefined;
}
