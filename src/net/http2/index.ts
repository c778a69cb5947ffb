/**
 * HTTP/2 (RFC 9113 without push and priorities): the server side for the ports of the API server and of etcd, the client side
 * for requests to etcd. Heads and bodies are bytes, and the frames of one turn of the event loop are sent in one write.
 */
export { Http2ClientConnection } from './client-connection.ts';
export type { ClientStream } from './client-stream.ts';
export { Http2Connection, type Http2Listener, type Http2Options } from './connection.ts';
export { ERROR as HTTP2_ERROR } from './frames.ts';
export type { Head } from './hpack-encoder.ts';
export { headersOf } from './request-head.ts';
export { BodyError, Http2Stream } from './stream.ts';
