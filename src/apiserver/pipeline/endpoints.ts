/** Paths outside the resources: discovery, OpenAPI, health, metrics, version, OIDC documents. */
import type { Endpoint } from '../request/endpoint.ts';
import type { Exchange } from '../request/exchange.ts';
import type { ApiResponse, UserInfo } from '../request/request.ts';
import { methodNotAllowed, pageNotFound } from '../request/responses.ts';

export class Endpoints {
  #exact = new Map<string, Endpoint>();
  #prefixes: Endpoint[] = [];

  constructor(endpoints: readonly Endpoint[]) {
    for (const endpoint of endpoints) {
      if (endpoint.path.endsWith('*')) this.#prefixes.push(endpoint);
      else this.#exact.set(endpoint.path, endpoint);
    }
    this.#prefixes.sort((a, b) => b.path.length - a.path.length);
  }

  async serve(exchange: Exchange, user: UserInfo): Promise<ApiResponse> {
    const path = exchange.request.path;
    const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const endpoint = this.#exact.get(trimmed) ?? this.#prefixes.find((e) => path.startsWith(e.path.slice(0, -1)));
    if (!endpoint) return pageNotFound();
    const { method } = exchange.request;
    if (!(endpoint.methods ?? ['GET']).includes(method)) throw methodNotAllowed();
    const response = await endpoint.serve(exchange, user);
    if (response && !exchange.info.isResourceRequest) exchange.recognized = true;
    return response ?? pageNotFound();
  }

  /** For the index at `/`. */
  paths(): string[] {
    return [...this.#exact.keys()].sort();
  }
}
