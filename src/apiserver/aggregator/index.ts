/**
 * API aggregation: APIService objects name the Services that serve further group versions. The aggregator proxies requests
 * to them with the user's identity (`proxy.ts`), merges their discovery and OpenAPI documents (`remote-documents.ts`,
 * `merge-openapi.ts`), sets the Available condition (`availability.ts`), and creates APIServices for custom resources
 * (`auto-register.ts`).
 */
export { Aggregator } from './aggregator.ts';
export type { LocalApi } from './local-api.ts';
export { MergedDocuments } from './merged-documents.ts';
export type { AggregatedApis } from './aggregated-apis.ts';
