/** --goaway-chance: some requests on HTTP/2 end their connection, so that clients spread over the servers behind a balancer. */
import type { Random } from '../../kernel/index.ts';
import type { Handler } from './transport.ts';

/** `chance` is the part of the requests, from 0 to 1. The request itself, and all that run beside it, are served. */
export function withGoaway(handler: Handler, chance: number, random: Pick<Random, 'next'>): Handler {
  if (chance <= 0) return handler;
  return (request) => {
    if (request.leaveConnection && random.next() < chance) request.leaveConnection();
    return handler(request);
  };
}
