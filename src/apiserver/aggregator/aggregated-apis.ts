/** What discovery and OpenAPI take from the servers behind APIServices. */
import type { APIResourceDiscovery } from '../../api/generated/apidiscovery-v2.ts';

export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly APIResourceDiscovery[];
  /** Stale: the server did not answer when it was last asked. */
  readonly freshness: 'Current' | 'Stale';
}

/** Groups and versions are listed by these, the greater first. */
export interface Priority {
  readonly group: number;
  readonly version: number;
}

export interface AggregatedApis {
  versions(): readonly RemoteVersion[];
  priorityOf(group: string, version: string): Priority | undefined;
  /** OpenAPI v2 documents of the others, parsed. */
  openapiV2(): readonly AggregatedDocument[];
  /** Where the others' OpenAPI v3 documents are: `apis/GROUP/VERSION` and its URL. */
  openapiV3(): ReadonlyMap<string, string>;
  onChange(listener: () => void): void;
}

export interface AggregatedDocument {
  /** The paths that are taken from it begin with one of these. */
  readonly prefixes: readonly string[];
  readonly document: Readonly<Record<string, unknown>>;
}
