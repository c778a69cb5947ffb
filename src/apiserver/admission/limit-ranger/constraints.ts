/** The bounds of a LimitRange, each with what it says of amounts outside it. */
import { parseQuantity, type Quantity } from '../../../base/index.ts';

export interface Bound {
  readonly type: string;
  readonly name: string;
  readonly bound: string;
}

export interface Amounts {
  requests(name: string): Quantity | undefined;
  limits(name: string): Quantity | undefined;
}

export function minimumProblem({ type, name, bound }: Bound, amounts: Amounts): string | undefined {
  const least = parseQuantity(bound);
  const [request, limit] = [amounts.requests(name), amounts.limits(name)];
  const subject = `minimum ${name} usage per ${type} is ${least.toString()}`;
  if (!request) return `${subject}.  No request is specified`;
  if (request.cmp(least) < 0) return `${subject}, but request is ${request.toString()}`;
  if (limit && limit.cmp(least) < 0) return `${subject}, but limit is ${limit.toString()}`;
  return undefined;
}

export function maximumProblem({ type, name, bound }: Bound, amounts: Amounts): string | undefined {
  const most = parseQuantity(bound);
  const [request, limit] = [amounts.requests(name), amounts.limits(name)];
  const subject = `maximum ${name} usage per ${type} is ${most.toString()}`;
  if (!limit) return `${subject}.  No limit is specified`;
  if (limit.cmp(most) > 0) return `${subject}, but limit is ${limit.toString()}`;
  if (request && request.cmp(most) > 0) return `${subject}, but request is ${request.toString()}`;
  return undefined;
}

/** For what has requests only. */
export function maximumRequestProblem({ type, name, bound }: Bound, amounts: Amounts): string | undefined {
  const most = parseQuantity(bound);
  const request = amounts.requests(name);
  const subject = `maximum ${name} usage per ${type} is ${most.toString()}`;
  if (!request) return `${subject}.  No request is specified`;
  return request.cmp(most) > 0 ? `${subject}, but request is ${request.toString()}` : undefined;
}

export function ratioProblem({ type, name, bound }: Bound, amounts: Amounts): string | undefined {
  const most = parseQuantity(bound);
  const [request, limit] = [amounts.requests(name), amounts.limits(name)];
  const subject = `${name} max limit to request ratio per ${type} is ${most.toString()}`;
  if (!request || request.isZero()) return `${subject}, but no request is specified or request is 0`;
  if (!limit || limit.isZero()) return `${subject}, but no limit is specified or limit is 0`;
  const ratio = limit.toNumber() / request.toNumber();
  return ratio * 1000 > most.milliValue() ? `${subject}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
