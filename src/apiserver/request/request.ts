/** A request and its response as the pipeline sees them: the same for HTTP/2, HTTP/1.1 and callers in this process. */
import type { KubeObject } from '../../machinery/index.ts';

export interface ApiRequest {
  readonly method: string;
  /** Without the query; still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names are in lower case; a header with several values is a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Reads the whole body, at most the server's limit; fails with 413. */
  readBody(): Promise<Buffer>;
  /** The object of a caller in this process; it is not decoded from bytes. */
  readonly object?: KubeObject;
  /** Called with the decoded body: an object with its defaults, or DeleteOptions. Set by audit. */
  noteDecoded?: (body: { readonly kind: string; readonly metadata?: KubeObject['metadata'] }) => void;
  /** The patch of a caller in this process, as parsed JSON; its text is in the body. */
  readonly patch?: unknown;
  /** The caller is in this process and gets the result itself: shared, frozen objects instead of bytes. */
  readonly inProcess?: true;
  /** Set by a caller in this process; requests from outside are authenticated. */
  readonly user?: UserInfo;
  readonly remoteAddress: string;
  /** The span of this process that a caller in it sends the request from. */
  readonly cause?: number | undefined;
  /** The client's certificate, not yet verified. */
  readonly peerCertificate?: PeerCertificate;
  /** Aborts when the client goes away, the server shuts down, or the request times out. */
  readonly signal: AbortSignal;
  /** Aborts `signal` when the request times out. */
  abort?(reason: Error): void;
  /** Makes the client open another connection for its next request. Only where other requests share this one. */
  leaveConnection?(): void;
  /** Whether so many bytes wait for this client, or for all slow clients, that no long response should start. */
  readonly congested?: boolean;
  /** Counts the bytes written to a hijacked connection; for other responses the transport does that. */
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
  /** DER: the client's certificate, followed by the intermediates that it sent. */
  readonly raw: Buffer;
}

interface UpgradeHandle {
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
  /** Belongs to the response: later steps add headers to it. */
  readonly headers: ResponseHeaders;
  readonly body?: Buffer | string;
  /**
   * The same as `body`, for transports to send in pieces as the client reads; `body` assembles it for callers in this
   * process.
   */
  readonly large?: LargeBody;
  /** Writes the body piece by piece; the response ends when it resolves. */
  readonly stream?: (sink: ResponseSink) => Promise<void>;
  /** For callers in this process, instead of a body. */
  readonly result?: Result;
  /** The handler has hijacked the connection and responds on it itself. */
  readonly hijacked?: true;
  /**
   * The sender of a `large` body or a `stream` calls it when the client has received everything, or the response was
   * aborted: until then the request keeps its seat of flow control.
   */
  done?: () => void;
  /**
   * On the monotonic clock: when the request times out. The transport aborts a response that has not been received by
   * then.
   */
  expiresAt?: number;
}

export interface LargeBody {
  /** To be awaited before each call of the reader, where a call takes long. */
  turn?(): Promise<void>;
  /** How many bytes readers have produced. */
  readonly produced: number;
  /** Each call fills some or all of `target` and returns the number of bytes: 0 at the end. */
  reader(): (target: Buffer) => number;
}

export interface ResponseSink {
  /** Queues a piece; false when the client reads more slowly than we write. */
  write(piece: Buffer | string): boolean;
  /** Resolves when the client has read enough for more. */
  drained(): Promise<void>;
  /** Bytes that the client has not accepted yet. */
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
  /** The same, with the line feed that ends a response. */
  readonly line: Buffer;
  /** About how many bytes; 0 where that is not known yet. */
  readonly size: number;
  /** Where `"metadata"` begins in `bytes` and `line`. */
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
  /** Delivers the events as objects, to a caller in this process. */
  readonly deliver: (sink: FrameSink<WatchedObject>) => Promise<void>;
}

export interface WatchedObject {
  readonly type: string;
  readonly object: KubeObject;
}

/** Receives the events of a watch. */
export interface FrameSink<F> {
  /** False when the reader falls behind: the writer should wait for `drained`. */
  write(frame: F): boolean;
  /** Resolves when the reader is ready for more frames, or gone. */
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
