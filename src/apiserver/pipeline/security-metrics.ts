/** Metrics of authentication and authorization, under upstream's names. */
import { exponentialBuckets, type Context } from '../../kernel/index.ts';
import type { Decision } from '../authz/authorizer.ts';

const BUCKETS = exponentialBuckets(0.001, 2, 15);

export type AuthenticationResult = 'success' | 'failure' | 'error';

type Observed = { count: { inc(): void }; duration: { observe(seconds: number): void } };

export interface SecurityMetrics {
  authenticated(result: AuthenticationResult, seconds: number): void;
  authorized(decision: Decision, seconds: number): void;
  /** How long a filter of the handler chain took that has no metrics of its own. */
  filtered(filter: 'impersonation' | 'priorityandfairness', seconds: number): void;
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
  const filterDuration = metrics.histogram({
    name: 'apiserver_request_filter_duration_seconds',
    help: 'How long each filter of the handler chain took.',
    labels: ['filter'],
    buckets: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30],
  });
  const filters = {
    authentication: filterDuration.child({ filter: 'authentication' }),
    authorization: filterDuration.child({ filter: 'authorization' }),
    impersonation: filterDuration.child({ filter: 'impersonation' }),
    priorityandfairness: filterDuration.child({ filter: 'priorityandfairness' }),
  };
  return {
    filtered: (filter, seconds) => filters[filter].observe(seconds),
    authenticated(result, seconds) {
      filters.authentication.observe(seconds);
      const { count, duration } = authentication(result);
      count.inc();
      duration.observe(seconds);
      if (result === 'success') users.inc();
    },
    authorized({ decision, error }, seconds) {
      filters.authorization.observe(seconds);
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
