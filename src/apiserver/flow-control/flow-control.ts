/** API Priority and Fairness, as the pipeline sees it: a request enters, perhaps after waiting, and leaves. */
import type { RequestInfo } from '../request-info.ts';
import type { ApiRequest, UserInfo } from '../request.ts';

export interface FlowControl {
  /** Resolves when the request may run, to what must be called when it has; fails with 429 when it is shed. */
  enter(user: UserInfo, info: RequestInfo, request: ApiRequest): Promise<() => void> | (() => void);
}

export const unlimitedFlow: FlowControl = { enter: () => () => {} };
