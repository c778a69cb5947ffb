/**
 * Aggregation: API group versions that another server behind a Service serves, as APIService objects say. Requests for
 * them are passed on in the caller's name, their discovery and OpenAPI documents are merged into ours, and the
 * APIServices show whether the other server answers. Those of what this server itself serves are kept here too.
 */
export { Aggregator, type AggregatorOptions } from './aggregator.ts';
export type { LocalApi, LocalRequest } from './local-api.ts';
export { MergedDocuments } from './merged-documents.ts';
export type { AggregatedApis, RemoteVersion } from './aggregated-apis.ts';
