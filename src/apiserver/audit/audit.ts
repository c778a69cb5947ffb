/** Audit as the pipeline sees it. */
import type { Exchange } from '../request/exchange.ts';
import type { ApiResponse } from '../request/request.ts';
import type { AuditEvent } from './event.ts';

export interface AuditLog {
  /** The request is authenticated, or has just been refused because it could not be. */
  received(exchange: Exchange): void;
  /** The answer is known; gives it back, perhaps wrapped so that the end of a stream is noticed. */
  finished(exchange: Exchange, response: ApiResponse): ApiResponse;
  /** Ends when everything is written that was told so far. */
  close(): Promise<void>;
}

export interface AuditBackend {
  /** Takes an event; never waits and never fails. */
  write(event: AuditEvent): void;
  /** Ends when everything taken so far is where it belongs. */
  close(): Promise<void>;
}

export const noAudit: AuditLog = {
  received: () => {},
  finished: (_exchange, response) => response,
  close: () => Promise.resolve(),
};
