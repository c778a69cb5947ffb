/** EventRateLimit: limits Events per second for the server, a namespace, a user, or a source and object. */
import type { Event } from '../../api/generated/core-v1.ts';
import { TokenBucket, type Clock } from '../../kernel/index.ts';
import { failure } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';

export interface EventLimit {
  readonly type: 'Server' | 'Namespace' | 'User' | 'SourceAndObject';
  readonly qps: number;
  readonly burst: number;
  /** How many namespaces, users or objects have a bucket; the least recently used one goes first. */
  readonly cacheSize?: number;
}

export interface EventRateLimitConfiguration {
  readonly limits: readonly EventLimit[];
}

const DEFAULT_CACHE_SIZE = 4096;

const KEYS: Readonly<Record<EventLimit['type'], (attributes: AdmissionAttributes) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject({ object }) {
    const { source, involvedObject } = object as Event & KubeObject;
    return [
      source?.component,
      source?.host,
      involvedObject?.kind,
      involvedObject?.namespace,
      involvedObject?.name,
      involvedObject?.uid,
      involvedObject?.apiVersion,
    ].join('');
  },
};

export function eventRateLimitPlugin(
  clock: Clock,
  { limits }: EventRateLimitConfiguration = { limits: [] },
): AdmissionPlugin {
  if (limits.length === 0) throw new Error('EventRateLimit needs a configuration with limits');
  const enforcers = limits.map((limit) => enforcer(clock, limit));
  return {
    name: 'EventRateLimit',
    operations: ['CREATE', 'UPDATE'],
    matches: ({ kind }) => kind.kind === 'Event' && (kind.group === '' || kind.group === 'events.k8s.io'),
    validate(attributes) {
      let reached: string | undefined;
      // Every limit counts the event, even if an earlier limit rejects it.
      for (const enforce of enforcers) reached = enforce(attributes) ?? reached;
      if (reached !== undefined) throw failure(429, 'TooManyRequests', `Too many requests: ${reached}`);
    },
  };
}

/** Counts an event, and describes the limit if the event exceeds it. */
function enforcer(
  clock: Clock,
  { type, qps, burst, cacheSize = DEFAULT_CACHE_SIZE }: EventLimit,
): (attributes: AdmissionAttributes) => string | undefined {
  const keyOf = KEYS[type];
  if (!keyOf) throw new Error(`unknown event rate limit type: ${String(type)}`);
  const buckets = new Map<string, TokenBucket>();
  return (attributes) => {
    const key = keyOf(attributes);
    const bucket = buckets.get(key) ?? new TokenBucket(clock, { qps, burst });
    buckets.delete(key);
    buckets.set(key, bucket);
    if (buckets.size > cacheSize) buckets.delete(buckets.keys().next().value!);
    return bucket.tryTake() ? undefined : `limit reached on type ${type} for key ${key}`;
  };
}
