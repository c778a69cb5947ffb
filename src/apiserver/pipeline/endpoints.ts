/** Paths outside the resources: discovery, OpenAPI, health, metrics, version, OIDC documents. */
import { compareText } from '../../base/index.ts';
import type { Endpoint } from '../request/endpoint.ts';
import type { Exchange } from '../request/exchange.ts';
import { withoutTrailingSlashes } from '../request/request-info.ts';
import type { ApiResponse, UserInfo } from '../request/request.ts';
import { methodNotAllowed, pageNotFound, respondIndented } from '../request/responses.ts';

const INDEX: ReadonlySet<string> = new Set(['/', '/index.html']);

const isPrefix = ({ path }: Endpoint): boolean => path.endsWith('*');

export class Endpoints {
  #exact = new Map<string, Endpoint>();
  #prefixes: Endpoint[] = [];

  constructor(endpoints: readonly Endpoint[]) {
    for (const endpoint of endpoints) {
      if (isPrefix(endpoint)) this.#prefixes.push(endpoint);
      else this.#exact.set(endpoint.path, endpoint);
    }
    this.#prefixes.sort((a, b) => b.path.length - a.path.length);
  }

  async serve(exchange: Exchange, user: UserInfo): Promise<ApiResponse> {
    const { path, method } = exchange.request;
    if (INDEX.has(path)) {
      exchange.recognized = true;
      return respondIndented({ paths: this.#paths() });
    }
    const endpoint = this.#find(path);
    if (!endpoint) return pageNotFound();
    if (method !== 'GET' && !endpoint.plain && !isPrefix(endpoint)) throw methodNotAllowed();
    const response = await endpoint.serve(exchange, user);
    if (response && !exchange.info.isResourceRequest) exchange.recognized = true;
    return response ?? pageNotFound();
  }

  #find(path: string): Endpoint | undefined {
    const exact = this.#exact.get(path);
    if (exact) return exact;
    const service = path.endsWith('/') ? this.#exact.get(withoutTrailingSlashes(path)) : undefined;
    if (service && !service.plain) return service;
    return this.#prefixes.find((endpoint) => path.startsWith(endpoint.path.slice(0, -1)));
  }

  /** In the order of their text. */
  #paths(): string[] {
    const below = this.#prefixes.flatMap((endpoint) => endpoint.paths?.() ?? []);
    return [...this.#exact.keys(), ...below].sort(compareText);
  }
}
