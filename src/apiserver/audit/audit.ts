/** Who did what: every request has an audit id; what is written of it is the audit policy's decision. */
import type { Exchange } from '../handle-request.ts';

export interface AuditLog {
  /** The request is authenticated; gives it its audit id. */
  received(exchange: Exchange): void;
  finished(exchange: Exchange, status: number): void;
}

export const noAudit: AuditLog = { received: () => {}, finished: () => {} };
