/**
 * API Priority and Fairness as the pipeline sees it: a request enters, perhaps after waiting in a queue, and leaves.
 */
import type { FlowIdentity } from '../request/exchange.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { ApiRequest, UserInfo } from '../request/request.ts';

export interface Admitted {
  /** For the headers of the response. */
  readonly flow?: FlowIdentity;
  /**
   * To be called when the client has received the response, or the initial events of its watch. May be called again.
   */
  leave(): void;
}

export interface FlowControl {
  /** Resolves when the request may run; rejects with TooBusy when it is shed. */
  enter(user: UserInfo, info: RequestInfo, request: ApiRequest): Promise<Admitted> | Admitted;
}

/** The request is shed; the client may try again. */
export class TooBusy extends Error {
  readonly code = 'too-busy';

  constructor(
    readonly reason: 'concurrency-limit' | 'queue-full' | 'time-out' | 'cancelled' | 'slow-clients',
    readonly flow: FlowIdentity | undefined,
    readonly retryAfterSeconds: number,
  ) {
    super('Too many requests, please try again later.');
  }
}

const UNLIMITED: Admitted = { leave: () => {} };

export const unlimitedFlow: FlowControl = { enter: () => UNLIMITED };
