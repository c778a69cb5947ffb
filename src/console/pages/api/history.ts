/** The revisions of an object that the store still has. */
import type { ApiObject } from './objects.ts';
import { ask } from './request.ts';
import type { ResourceType } from './resources.ts';

export interface Revision {
  readonly revision: number;
  readonly event: 'created' | 'updated' | 'deleted' | 'oldest';
  readonly time?: string;
  readonly user?: string;
  readonly manager?: string;
  readonly cause?: string;
  readonly changes: readonly { readonly path: string; readonly before?: unknown; readonly after?: unknown }[];
  /** Absent after a deletion, and when all objects together were too large. */
  readonly object?: ApiObject;
}

export interface ObjectHistory {
  /** The newest first. */
  readonly revisions: readonly Revision[];
  /** Whether the API server tells who wrote what. */
  readonly isRecorded: boolean;
}

export const askHistory = (
  type: ResourceType,
  { namespace, name, signal }: { namespace: string; name: string; signal: AbortSignal },
): Promise<ObjectHistory> => ask('history', { query: { resource: type.key, namespace, name }, signal });
