/** The contracts of auditing: the log that the pipeline calls, the backends that take events, and the sinks that store them. */
import type { MaybePromise } from '../../base/index.ts';
import type { Exchange } from '../request/exchange.ts';
import type { ApiResponse } from '../request/request.ts';
import type { AuditEvent } from './event.ts';

export interface AuditLog {
  /** Called after authentication, also if it failed. False: the event could not be stored, and the request must fail. */
  received(exchange: Exchange): MaybePromise<boolean>;
  /** Called with the response. Returns it, wrapped if needed to see the end of a stream. */
  finished(exchange: Exchange, response: ApiResponse): MaybePromise<ApiResponse>;
  /** Resolves when all events so far are written. */
  close(): Promise<void>;
}

export interface AuditBackend {
  /** Takes an event and never throws. The request waits for a promise; false: the event was not stored. */
  write(event: AuditEvent): MaybePromise<boolean>;
  /** Resolves when all events are written. */
  close(): Promise<void>;
}

export interface AuditSink {
  /** `log` or `webhook`: the plugin in the metric of errors. */
  readonly name: string;
  /** Rejects when the events are not stored. */
  store(events: readonly AuditEvent[]): Promise<void>;
  /** Resolves when all that `store` has taken is stored. */
  close(): Promise<void>;
}

export const noAudit: AuditLog = {
  received: () => true,
  finished: (_exchange, response) => response,
  close: () => Promise.resolve(),
};
