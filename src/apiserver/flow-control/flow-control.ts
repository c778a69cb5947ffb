/** API Priority and Fairness, as the pipeline sees it: a request enters, perhaps after waiting, and leaves. */
import type { RequestInfo } from '../request-info.ts';
import type { ApiRequest, UserInfo } from '../request.ts';

/** For the headers of the answer. */
export interface FlowIdentity {
  readonly flowSchemaUid: string;
  readonly priorityLevelUid: string;
}

export interface Admitted {
  readonly flow?: FlowIdentity;
  /** To be called when the request has been served, or its watch has begun. */
  leave(): void;
}

export interface FlowControl {
  /** Gives way when the request may run; fails with 429 when it is shed. */
  enter(user: UserInfo, info: RequestInfo, request: ApiRequest): Promise<Admitted> | Admitted;
}

const UNLIMITED: Admitted = { leave: () => {} };

export const unlimitedFlow: FlowControl = { enter: () => UNLIMITED };
