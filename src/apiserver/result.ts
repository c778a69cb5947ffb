/** What a verb gives back, before it is put into the representation that the client wants. */
import type { KubeObject } from '../machinery/object.ts';
import type { ServedResource } from './registry/served-resource.ts';
import type { ApiResponse, ResponseSink } from './request.ts';
import type { Entry } from './storage/entry.ts';

export type Result =
  /** A stored object: its bytes are there already. */
  | { readonly type: 'entry'; readonly status: number; readonly entry: Entry }
  /** An object that is made for the answer: a Status, a Scale, a review. */
  | { readonly type: 'object'; readonly status: number; readonly object: KubeObject }
  | ListResult
  | { readonly type: 'watch'; readonly run: (sink: ResponseSink) => Promise<void>; readonly contentType: string }
  | { readonly type: 'response'; readonly response: ApiResponse };

export interface ListResult {
  readonly type: 'list';
  readonly served: ServedResource;
  readonly entries: readonly Entry[];
  readonly resourceVersion: string;
  readonly continueToken?: string;
  readonly remainingItemCount?: number;
}
