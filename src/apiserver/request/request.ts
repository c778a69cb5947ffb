/** A request and its answer as the pipeline sees them: the same for HTTP/2, HTTP/1.1 and callers in this process. */
import type { KubeObject } from '../../machinery/index.ts';

export interface ApiRequest {
  readonly method: string;
  /** As it was sent, without the query; still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case; several values of one header as a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Reads the whole body, at most the server's limit; fails with 413. */
  readBody(): Promise<Buffer>;
  /** An object handed over by a caller in this process: it is not decoded from bytes. */
  readonly object?: KubeObject;
  /** A patch handed over by a caller in this process, as JSON would hold it; whoever wants its text reads the body. */
  readonly patch?: unknown;
  /** The caller is in this process and takes the result as it is: shared, frozen objects instead of bytes. */
  readonly inProcess?: true;
  /** Set by a caller in this process; requests from outside are authenticated. */
  readonly user?: UserInfo;
  readonly remoteAddress: string;
  /** What the peer sent as its certificate; nobody has verified it yet. */
  readonly peerCertificate?: PeerCertificate;
  /** Aborts when the client goes away, the server ends, or the request's time is over. */
  readonly signal: AbortSignal;
  /** Aborts `signal`: the request's time is over. */
  abort?(reason: Error): void;
  /** Whether so much waits for this client, or for all slow clients, that no long answer should be begun. */
  readonly congested?: boolean;
  /** Counts what is written to a connection that was taken over; for other answers the transport does that. */
  beginSending?(end: () => void): Sending;
  /** The connection, for protocols that take it over (WebSocket, SPDY). */
  readonly upgrade?: UpgradeHandle;
}

/** One response on its way to a client. */
export interface Sending {
  wrote(bytes: number): void;
  /** The socket has accepted that many bytes. */
  took(bytes: number): void;
  /** No bytes of it wait any more. May be called again. */
  finished(): void;
}

export interface PeerCertificate {
  /** DER: its own, and behind it those that it sent besides. */
  readonly raw: Buffer;
  /** Whether OpenSSL holds it to be of the client CA that was there when the server started. */
  readonly authorized: boolean;
}

export interface UpgradeHandle {
  readonly socket: import('node:net').Socket;
  readonly head: Buffer;
  readonly rawRequest: import('node:http').IncomingMessage;
}

export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export type ResponseHeaders = Record<string, string | string[]>;

export interface ApiResponse {
  readonly status: number;
  /** The response's own: whoever passes it on adds to them. */
  readonly headers: ResponseHeaders;
  readonly body?: Buffer | string;
  /** The same as `body`, sent in pieces as the client takes them; `body` puts it together for callers in this process. */
  readonly large?: LargeBody;
  /** Writes the body piece by piece; the response ends when it resolves. */
  readonly stream?: (sink: ResponseSink) => Promise<void>;
  /** For callers in this process, instead of a body. */
  readonly result?: Result;
  /** The handler has taken the connection over and answers on it itself. */
  readonly hijacked?: true;
  /**
   * Whoever sends a `large` body or a `stream` calls it when the client has taken all, or the answer was given up: until
   * then the request keeps its seat of flow control.
   */
  done?: () => void;
  /** On the monotonic clock: when the request's time is over. An answer that has not been taken by then is broken off. */
  expiresAt?: number;
}

export interface LargeBody {
  /** To be awaited before the reader is called, where a call takes its time. */
  turn?(): Promise<void>;
  /** How many bytes readers have been given. */
  readonly produced: number;
  /** Each call fills some or all of `target`, and says how much that was: 0 at the end. */
  reader(): (target: Buffer) => number;
}

export interface ResponseSink {
  /** Queues a piece; false when the peer is slower than we write. */
  write(piece: Buffer | string): boolean;
  /** Resolves when what was queued is on its way. */
  drained(): Promise<void>;
  /** Bytes that the peer has not taken yet. */
  readonly pending: number;
  readonly signal: AbortSignal;
}

/** What a verb returns, before it is encoded as the client wants it. */
export type Result =
  | { readonly type: 'entry'; readonly status: number; readonly entry: EncodedObject }
  /** An object that exists only in this response: a Status, a Scale, a review. */
  | { readonly type: 'object'; readonly status: number; readonly object: KubeObject }
  | ListResult
  | WatchResult
  | { readonly type: 'response'; readonly response: ApiResponse };

/** A stored object in the version that was requested. Both forms are made on first use and then shared. */
export interface EncodedObject {
  readonly namespace: string;
  readonly name: string;
  /** JSON, with resourceVersion. */
  readonly bytes: Buffer;
  /** Where `"metadata"` begins in `bytes`. */
  readonly metadataStart: number;
  /** Frozen. */
  readonly object: KubeObject;
}

/** What a list says about its items. */
export interface ListedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  /** Items of a custom resource's list carry kind and apiVersion; those of built-in kinds do not. */
  readonly custom: boolean;
}

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
  readonly served: ListedKind;
  readonly entries: readonly EncodedObject[];
  readonly resourceVersion: string;
  readonly continueToken?: string;
  readonly remainingItemCount?: number;
}

export function headerOf(request: ApiRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

export function headersOf(request: ApiRequest, name: string): readonly string[] {
  const value = request.headers[name];
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}
