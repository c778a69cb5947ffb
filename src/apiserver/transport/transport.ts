/** The interface between the server and its transport. */
import type net from 'node:net';
import type { Worker } from 'node:worker_threads';
import type { ServingOptions } from '../../net/tls/index.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import type { SpeedOptions } from '../request/speed-options.ts';
import type { SendLimits } from './send-budget.ts';

export type Handler = (request: ApiRequest) => Promise<ApiResponse>;

export interface Http2Settings {
  /** Without it the port speaks HTTP/1.1 alone. */
  readonly enabled: boolean;
  readonly maxStreams: number;
}

export const HTTP2_SETTINGS: Http2Settings = { enabled: true, maxStreams: 1000 };

export interface TransportOptions {
  readonly host: string;
  readonly port: number;
  /** Without it the port speaks plain HTTP/1.1; only for loopback. */
  readonly tls?: ServingOptions;
  readonly http2?: Http2Settings | undefined;
  readonly maxBodyBytes: number;
  /** How much may wait for slow clients. */
  readonly sendLimits?: SendLimits;
  /** Serves the port and ends with the server; without it this thread serves the port. */
  readonly thread?: Worker | undefined;
  readonly speed?: Partial<SpeedOptions> | undefined;
}

export interface Transport {
  readonly port: number;
  /** Uses a renewed certificate for new connections. */
  renew(tls: ServingOptions): void;
  /** Serves a connection that was accepted elsewhere, such as on another address, like those of its own port. */
  accept(socket: net.Socket): void;
  /** Takes no more connections, and asks clients to leave theirs; what they have asked for is served. */
  stopListening(): void;
  /** Stops listening, lets requests finish for `graceMs`, then closes what is left. */
  close(graceMs: number): Promise<void>;
  /** Rejects when the thread that serves the port fails. */
  readonly failed?: Promise<never>;
}
