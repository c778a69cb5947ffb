/** The aggregated APIs, as discovery and OpenAPI see them. */
import type { APIResourceDiscovery } from '../../api/generated/apidiscovery-v2.ts';

export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly APIResourceDiscovery[];
  /** Stale if the last request to the server failed. */
  readonly freshness: 'Current' | 'Stale';
}

/** groupPriorityMinimum and versionPriority: higher values are listed first. */
export interface Priority {
  readonly group: number;
  readonly version: number;
}

export interface AggregatedApis {
  versions(): readonly RemoteVersion[];
  priorityOf(group: string, version: string): Priority | undefined;
  /** The parsed OpenAPI v2 documents of the aggregated servers. */
  openapiV2(): readonly AggregatedDocument[];
  /** The URLs of OpenAPI v3 documents, by `apis/GROUP/VERSION`. */
  openapiV3(): ReadonlyMap<string, string>;
  onChange(listener: () => void): void;
}

export interface AggregatedDocument {
  /** Only paths with one of these prefixes are merged. */
  readonly prefixes: readonly string[];
  readonly document: Readonly<Record<string, unknown>>;
}
