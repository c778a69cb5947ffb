/** What a verb gives back, before it is put into the representation that the client wants. */
import type { KubeObject } from '../../machinery/index.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Entry } from '../storage/entry.ts';
import type { ApiResponse, ResponseSink } from './request.ts';

export type Result =
  /** A stored object: its bytes are there already. */
  | { readonly type: 'entry'; readonly status: number; readonly entry: Entry }
  /** An object that is made for the answer: a Status, a Scale, a review. */
  | { readonly type: 'object'; readonly status: number; readonly object: KubeObject }
  | ListResult
  | WatchResult
  | { readonly type: 'response'; readonly response: ApiResponse };

export interface WatchResult {
  readonly type: 'watch';
  readonly contentType: string;
  /** Writes the events out as bytes until the watch ends. */
  readonly run: (sink: ResponseSink) => Promise<void>;
  /** Hands the events over as objects, to a caller in this process. */
  readonly deliver: (sink: FrameSink<WatchedObject>) => Promise<void>;
}

export interface WatchedObject {
  readonly type: string;
  readonly object: KubeObject;
}

/** Takes what a watch sends. */
export interface FrameSink<F> {
  /** False when the reader is slower than the watch: the next frame should wait for `drained`. */
  write(frame: F): boolean;
  /** Resolves when the reader has taken enough for more frames, or is gone. */
  drained(): Promise<void>;
  readonly signal: AbortSignal;
}

export interface ListResult {
  readonly type: 'list';
  readonly served: ServedResource;
  readonly entries: readonly Entry[];
  readonly resourceVersion: string;
  readonly continueToken?: string;
  readonly remainingItemCount?: number;
}
