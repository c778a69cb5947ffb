/** Metrics of authentication and authorization, under upstream's names. */
import { exponentialBuckets, type Context } from '../../kernel/index.ts';
import type { Decision } from '../authz/authorizer.ts';

const BUCKETS = exponentialBuckets(0.001, 2, 15);

export type AuthenticationResult = 'success' | 'failure' | 'error';

type Observed = { count: { inc(): void }; duration: { observe(seconds: number): void } };

export interface SecurityMetrics {
  authenticated(result: AuthenticationResult, seconds: number): void;
  authorized(decision: Decision, seconds: number): void;
}

export function createSecurityMetrics({ metrics }: Pick<Context, 'metrics'>): SecurityMetrics {
  const instruments = (names: { count: string; duration: string; what: string }): ((result: string) => Observed) => {
    const count = metrics.counter({
      name: names.count,
      help: `Counter of ${names.what}, by result.`,
      labels: ['result'],
    });
    const duration = metrics.histogram({
      name: names.duration,
      help: `How long ${names.what} took, by result.`,
      labels: ['result'],
      buckets: BUCKETS,
    });
    const known = new Map<string, Observed>();
    return (result) => {
      let observed = known.get(result);
      if (!observed)
        known.set(result, (observed = { count: count.child({ result }), duration: duration.child({ result }) }));
      return observed;
    };
  };
  const authentication = instruments({
    count: 'authentication_attempts',
    duration: 'authentication_duration_seconds',
    what: 'authentication attempts',
  });
  const authorization = instruments({
    count: 'authorization_attempts_total',
    duration: 'authorization_duration_seconds',
    what: 'authorization attempts',
  });
  // User names are no labels: there may be any number of them.
  const users = metrics
    .counter({ name: 'authenticated_user_requests', help: 'Counter of authenticated requests.', labels: ['username'] })
    .child({ username: 'other' });
  return {
    authenticated(result, seconds) {
      const { count, duration } = authentication(result);
      count.inc();
      duration.observe(seconds);
      if (result === 'success') users.inc();
    },
    authorized({ decision, error }, seconds) {
      const { count, duration } = authorization(resultOf(decision, error));
      count.inc();
      duration.observe(seconds);
    },
  };
}

function resultOf(decision: Decision['decision'], error: string | undefined): string {
  if (decision === 'allow') return 'allowed';
  if (error !== undefined) return 'error';
  return decision === 'deny' ? 'denied' : 'no-opinion';
}
