/** Authorization webhook: sends a SubjectAccessReview for the requests that its match conditions select. */
import type { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from '../../api/generated/authorization-v1.ts';
import { DeadlineExceeded, exponentialBuckets, type Context } from '../../kernel/index.ts';
import { ExpiringCache, type Expression, type ReviewClient } from '../review-webhooks/index.ts';
import {
  NO_OPINION,
  type AuthorizationAttributes,
  type Authorizer,
  type Decision,
  type ResolvedRules,
} from './authorizer.ts';

interface WebhookAuthorizerOptions {
  readonly name: string;
  readonly client: Pick<ReviewClient, 'post'>;
  /** The version of the SubjectAccessReview; v1 by default. */
  readonly version?: 'v1' | 'v1beta1';
  readonly authorizedTtlMs?: number;
  readonly unauthorizedTtlMs?: number;
  /** The decision if the webhook fails. */
  readonly failurePolicy?: 'NoOpinion' | 'Deny';
  /** CEL expressions over `request`, the spec of the SubjectAccessReview; all must be true. */
  readonly matchConditions?: readonly Expression[];
}

const BUCKETS = exponentialBuckets(0.001, 2, 15);
const CACHE_SIZE = 8192;
/** Longer specs are not cached. */
const MAX_KEY_LENGTH = 10_000;

export class WebhookAuthorizer implements Authorizer {
  readonly name: string;
  #decisions: ExpiringCache<Decision>;
  readonly #evaluations;
  readonly #durations;
  readonly #failedOpen;
  readonly #ctx: Context;
  readonly #options: WebhookAuthorizerOptions;

  constructor(ctx: Context, options: WebhookAuthorizerOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.name = options.name;
    const labels = ['name', 'result'] as const;
    this.#evaluations = ctx.metrics.counter({
      name: 'apiserver_authorization_webhook_evaluations_total',
      help: 'Calls of authorization webhooks, by name and result.',
      labels,
    });
    this.#durations = ctx.metrics.histogram({
      name: 'apiserver_authorization_webhook_duration_seconds',
      help: 'Duration of authorization webhook calls, by name and result.',
      labels,
      buckets: BUCKETS,
    });
    this.#failedOpen = ctx.metrics.counter({
      name: 'apiserver_authorization_webhook_evaluations_fail_open_total',
      help: 'Calls of authorization webhooks that failed and resulted in no opinion, by name and result.',
      labels,
    });
    this.#decisions = new ExpiringCache(ctx.clock, CACHE_SIZE);
  }

  authorize(attributes: AuthorizationAttributes): Decision | Promise<Decision> {
    const spec = specOf(attributes);
    const matched = this.#matches(spec);
    if (matched !== true) return matched;
    const key = JSON.stringify(spec);
    return this.#decisions.get(key) ?? this.#reviewAndCache(spec, key);
  }

  rulesFor(): ResolvedRules {
    return { rules: [], incomplete: true, error: 'webhook authorizer does not support user rule resolution' };
  }

  #matches(spec: SubjectAccessReviewSpec): true | Decision {
    const errors: string[] = [];
    for (const condition of this.#options.matchConditions ?? []) {
      try {
        if (condition.evaluate({ request: spec }) !== true) return NO_OPINION;
      } catch (error) {
        errors.push((error as Error).message);
      }
    }
    return errors.length === 0 ? true : this.#failed(errors.join(', '));
  }

  async #reviewAndCache(spec: SubjectAccessReviewSpec, key: string): Promise<Decision> {
    let decision: Decision;
    const startedAt = this.#ctx.clock.monotonic();
    try {
      decision = await this.#review(spec);
      this.#count('success', startedAt);
    } catch (error) {
      const result = error instanceof DeadlineExceeded ? 'timeout' : 'error';
      this.#count(result, startedAt);
      if (this.#options.failurePolicy !== 'Deny') this.#failedOpen.inc({ name: this.name, result });
      this.#ctx.logger.error(error, 'Failed to make webhook authorizer request', { webhook: this.name });
      return this.#failed((error as Error).message);
    }
    const { authorizedTtlMs = 300_000, unauthorizedTtlMs = 30_000 } = this.#options;
    if (key.length <= MAX_KEY_LENGTH)
      this.#decisions.set(key, decision, decision.decision === 'allow' ? authorizedTtlMs : unauthorizedTtlMs);
    return decision;
  }

  #count(result: string, startedAt: number): void {
    this.#evaluations.inc({ name: this.name, result });
    this.#durations.observe((this.#ctx.clock.monotonic() - startedAt) / 1000, { name: this.name, result });
  }

  async #review(spec: SubjectAccessReviewSpec): Promise<Decision> {
    const { version = 'v1' } = this.#options;
    const { groups, ...rest } = spec;
    const sent = version === 'v1' ? spec : { ...rest, ...(groups ? { group: groups } : {}) };
    const answer = await this.#options.client.post({
      apiVersion: `authorization.k8s.io/${version}`,
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: sent,
    });
    const status = (answer['status'] ?? {}) as Partial<SubjectAccessReviewStatus>;
    const { allowed = false, denied = false, reason = '', evaluationError } = status;
    if (allowed && denied) throw new Error('webhook subject access review returned both allow and deny response');
    return {
      decision: denied ? 'deny' : allowed ? 'allow' : 'no-opinion',
      reason,
      ...(evaluationError ? { error: evaluationError } : {}),
    };
  }

  #failed(error: string): Decision {
    return this.#options.failurePolicy === 'Deny' ? { decision: 'deny', reason: '', error } : { ...NO_OPINION, error };
  }
}

function specOf(attributes: AuthorizationAttributes): SubjectAccessReviewSpec {
  const { user } = attributes;
  return {
    user: user.name,
    ...(user.uid ? { uid: user.uid } : {}),
    groups: [...user.groups],
    ...(user.extra
      ? { extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]])) }
      : {}),
    ...(attributes.isResourceRequest
      ? { resourceAttributes: resourceAttributesOf(attributes) }
      : { nonResourceAttributes: { path: attributes.path, verb: attributes.verb } }),
  };
}

function resourceAttributesOf(
  attributes: AuthorizationAttributes,
): NonNullable<SubjectAccessReviewSpec['resourceAttributes']> {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name, fieldSelector, labelSelector } =
    attributes;
  return {
    ...(namespace ? { namespace } : {}),
    verb,
    ...(apiGroup ? { group: apiGroup } : {}),
    ...(apiVersion ? { version: apiVersion } : {}),
    resource,
    ...(subresource ? { subresource } : {}),
    ...(name ? { name } : {}),
    ...(fieldSelector?.length
      ? {
          fieldSelector: {
            requirements: fieldSelector.map(({ field, operator, value }) => ({
              key: field,
              operator: operator === '=' ? 'In' : 'NotIn',
              values: [value],
            })),
          },
        }
      : {}),
    ...(labelSelector?.length ? { labelSelector: { requirements: labelSelector.flatMap(labelRequirement) } } : {}),
  };
}

const LABEL_OPERATORS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    in: 'In',
    '=': 'In',
    '==': 'In',
    notin: 'NotIn',
    '!=': 'NotIn',
    exists: 'Exists',
    '!': 'DoesNotExist',
  }),
);

/** A SubjectAccessReview cannot express `<` and `>`: these requirements are left out. */
function labelRequirement({
  key,
  operator,
  values,
}: {
  key: string;
  operator: string;
  values: readonly string[];
}): { key: string; operator: string; values?: string[] }[] {
  const known = LABEL_OPERATORS.get(operator);
  return known ? [{ key, operator: known, ...(values.length > 0 ? { values: [...values] } : {}) }] : [];
}
