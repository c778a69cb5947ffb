/** The contracts of auditing: the log that the pipeline calls, and the backends that write events. */
import type { Exchange } from '../request/exchange.ts';
import type { ApiResponse } from '../request/request.ts';
import type { AuditEvent } from './event.ts';

export interface AuditLog {
  /** Called after authentication, also if it failed. */
  received(exchange: Exchange): void;
  /** Called with the response. Returns it, wrapped if needed to see the end of a stream. */
  finished(exchange: Exchange, response: ApiResponse): ApiResponse;
  /** Resolves when all events so far are written. */
  close(): Promise<void>;
}

export interface AuditBackend {
  /** Queues an event; never blocks and never throws. */
  write(event: AuditEvent): void;
  /** Resolves when all queued events are written. */
  close(): Promise<void>;
}

export const noAudit: AuditLog = {
  received: () => {},
  finished: (_exchange, response) => response,
  close: () => Promise.resolve(),
};
