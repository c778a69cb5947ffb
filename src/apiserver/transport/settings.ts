/** Settings of connections, in both threads. */
import http from 'node:http';
import type { Clock } from '../../kernel/index.ts';
import { MAX_HEADER_BYTES } from '../../net/http/index.ts';
import type { Http2Options } from '../../net/http2/index.ts';
import { HTTP2_SETTINGS, type Http2Settings } from './transport.ts';

/** Upstream's limits for idle connections, and below for incomplete headers. */
const IDLE_MS = 90_000;

/** With HTTP/2's default windows of 64 KB one large upload would hold up all others. */
export const http2Options = (clock: Clock, { maxStreams }: Http2Settings = HTTP2_SETTINGS): Http2Options => ({
  clock,
  maxHeaderBytes: MAX_HEADER_BYTES,
  maxHeaderPairs: 2000,
  maxConcurrentStreams: maxStreams,
  streamWindow: 1024 * 1024,
  connectionWindow: 8 * 1024 * 1024,
  prefaceMs: 10_000,
  idleMs: IDLE_MS,
});

interface Http1Limits {
  readonly headersMs: number;
  readonly lookEveryMs: number;
}

const HTTP1_LIMITS: Http1Limits = { headersMs: 32_000, lookEveryMs: 10_000 };

export const http1Server = ({ headersMs, lookEveryMs } = HTTP1_LIMITS): http.Server =>
  http.createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersMs,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: lookEveryMs,
  });

/**
 * A server that is given its connections. Node enforces timeouts only for servers that listen, so this one pretends to;
 * it has to be closed, too.
 */
export function http1ServerBehind(limits?: Http1Limits): http.Server {
  const server = http1Server(limits);
  server.emit('listening');
  return server;
}
