/**
 * HTTP/2, the server's side, for ports through which everything passes: requests and answers as bytes, several of them
 * in one piece on the wire. It speaks what RFC 9113 asks of a server, without push and priorities.
 */
export { Http2Connection, type Http2Listener, type Http2Options } from './connection.ts';
export { ERROR as HTTP2_ERROR } from './frames.ts';
export type { Head } from './hpack-encoder.ts';
export { headersOf, type RequestHeaders } from './request-head.ts';
export { BodyError, Http2Stream } from './stream.ts';
