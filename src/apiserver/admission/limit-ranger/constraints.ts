/** The constraints of a LimitRange: each returns an error if the usage violates it. */
import { parseQuantity, type Quantity } from '../../../base/index.ts';

interface Bound {
  readonly type: string;
  readonly name: string;
  readonly bound: string;
}

export interface ResourceUsage {
  requests(name: string): Quantity | undefined;
  limits(name: string): Quantity | undefined;
}

export function minConstraint({ type, name, bound }: Bound, usage: ResourceUsage): string | undefined {
  const minimum = parseQuantity(bound);
  const [request, limit] = [usage.requests(name), usage.limits(name)];
  const subject = `minimum ${name} usage per ${type} is ${minimum.toString()}`;
  if (!request) return `${subject}.  No request is specified`;
  if (request.cmp(minimum) < 0) return `${subject}, but request is ${request.toString()}`;
  if (limit && limit.cmp(minimum) < 0) return `${subject}, but limit is ${limit.toString()}`;
  return undefined;
}

export function maxConstraint({ type, name, bound }: Bound, usage: ResourceUsage): string | undefined {
  const maximum = parseQuantity(bound);
  const [request, limit] = [usage.requests(name), usage.limits(name)];
  const subject = `maximum ${name} usage per ${type} is ${maximum.toString()}`;
  if (!limit) return `${subject}.  No limit is specified`;
  if (limit.cmp(maximum) > 0) return `${subject}, but limit is ${limit.toString()}`;
  if (request && request.cmp(maximum) > 0) return `${subject}, but request is ${request.toString()}`;
  return undefined;
}

/** For PersistentVolumeClaims, which have requests only. */
export function maxRequestConstraint({ type, name, bound }: Bound, usage: ResourceUsage): string | undefined {
  const maximum = parseQuantity(bound);
  const request = usage.requests(name);
  const subject = `maximum ${name} usage per ${type} is ${maximum.toString()}`;
  if (!request) return `${subject}.  No request is specified`;
  return request.cmp(maximum) > 0 ? `${subject}, but request is ${request.toString()}` : undefined;
}

export function limitRequestRatioConstraint({ type, name, bound }: Bound, usage: ResourceUsage): string | undefined {
  const maximum = parseQuantity(bound);
  const [request, limit] = [usage.requests(name), usage.limits(name)];
  const subject = `${name} max limit to request ratio per ${type} is ${maximum.toString()}`;
  if (!request || request.isZero()) return `${subject}, but no request is specified or request is 0`;
  if (!limit || limit.isZero()) return `${subject}, but no limit is specified or limit is 0`;
  const ratio = limit.toNumber() / request.toNumber();
  return ratio * 1000 > maximum.milliValue() ? `${subject}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
