/** Asks a server outside, with a SubjectAccessReview. Only requests that its conditions match wait for it. */
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

export interface WebhookAuthorizerOptions {
  readonly name: string;
  readonly client: Pick<ReviewClient, 'post'>;
  /** The review's version; v1 without it. */
  readonly version?: 'v1' | 'v1beta1';
  readonly authorizedTtlMs?: number;
  readonly unauthorizedTtlMs?: number;
  /** What a webhook that cannot be asked says. */
  readonly failurePolicy?: 'NoOpinion' | 'Deny';
  /** All must be true of `request`, the review's spec. */
  readonly matchConditions?: readonly Expression[];
}

const BUCKETS = exponentialBuckets(0.001, 2, 15);
const CACHED = 8192;
/** Questions longer than this are not kept. */
const KEY_LIMIT = 10_000;

export class WebhookAuthorizer implements Authorizer {
  readonly name: string;
  #answers: ExpiringCache<Decision>;
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
      help: 'Questions to authorization webhooks, by name and result.',
      labels,
    });
    this.#durations = ctx.metrics.histogram({
      name: 'apiserver_authorization_webhook_duration_seconds',
      help: 'How long authorization webhooks took, by name and result.',
      labels,
      buckets: BUCKETS,
    });
    this.#failedOpen = ctx.metrics.counter({
      name: 'apiserver_authorization_webhook_evaluations_fail_open_total',
      help: 'Questions that authorization webhooks had no opinion on because they failed, by name and result.',
      labels,
    });
    this.#answers = new ExpiringCache(ctx.clock, CACHED);
  }

  authorize(attributes: AuthorizationAttributes): Decision | Promise<Decision> {
    const spec = specOf(attributes);
    const matched = this.#matches(spec);
    if (matched !== true) return matched;
    const key = JSON.stringify(spec);
    return this.#answers.get(key) ?? this.#ask(spec, key);
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

  async #ask(spec: SubjectAccessReviewSpec, key: string): Promise<Decision> {
    let decision: Decision;
    const startedAt = this.#ctx.clock.monotonic();
    try {
      decision = await this.#review(spec);
      this.#count('success', startedAt);
    } catch (error) {
      const result = error instanceof DeadlineExceeded ? 'timeout' : 'error';
      this.#count(result, startedAt);
      if (this.#options.failurePolicy !== 'Deny') this.#failedOpen.inc({ name: this.name, result });
      this.#ctx.logger.error(error, 'The authorization webhook could not be asked', { webhook: this.name });
      return this.#failed((error as Error).message);
    }
    const { authorizedTtlMs = 300_000, unauthorizedTtlMs = 30_000 } = this.#options;
    if (key.length <= KEY_LIMIT)
      this.#answers.set(key, decision, decision.decision === 'allow' ? authorizedTtlMs : unauthorizedTtlMs);
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

/** Comparisons by size have no form in a review: the webhook judges without them. */
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
