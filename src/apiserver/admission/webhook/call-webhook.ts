import type { Status } from '../../../api/generated/meta-v1.ts';
import { quote } from '../../../base/index.ts';
/** One call of one webhook: the review there, the verdict back, and what becomes of it when that fails. */
import type { Context } from '../../../kernel/index.ts';
import { badRequest, StatusError } from '../../../machinery/errors/index.ts';
import type { WebhookClients } from '../../webhook-client/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { encodeReview, readReview, type ReviewedObjects, type Verdict } from './admission-review.ts';
import type { Invocation } from './match-webhook.ts';
import type { WebhookCall, WebhookMetrics } from './webhook-metrics.ts';
import type { Webhook } from './webhook.ts';

/** The webhook could not be asked, or its answer is none: the failure policy decides. */
export class CallingWebhookError extends Error {
  constructor(
    webhook: Webhook,
    reason: string,
    /** What metrics show for it. */
    readonly code: number,
  ) {
    super(`failed calling webhook ${quote(webhook.name)}: ${reason}`);
  }
}

export interface Caller {
  readonly ctx: Context;
  readonly clients: WebhookClients;
  readonly metrics: WebhookMetrics;
}

export interface Call {
  readonly invocation: Invocation;
  readonly attributes: AdmissionAttributes;
  readonly objects: ReviewedObjects;
  readonly mutating: boolean;
}

/** Fails with a CallingWebhookError, or with the StatusError of a denial. */
export async function callWebhook(caller: Caller, call: Call): Promise<Verdict> {
  const { metrics, ctx } = caller;
  const startedAt = ctx.clock.monotonic();
  const told: WebhookCall = {
    name: call.invocation.webhook.name,
    type: call.mutating ? 'admit' : 'validating',
    operation: call.attributes.operation,
  };
  const seconds = (): number => (ctx.clock.monotonic() - startedAt) / 1000;
  try {
    const verdict = await ask(caller, call);
    metrics.called(told, seconds(), 200, false);
    return verdict;
  } catch (error) {
    if (error instanceof CallingWebhookError) {
      metrics.called(told, seconds(), error.code, true);
      if (!call.invocation.webhook.ignoresFailure) metrics.rejected(told, 'calling_webhook_error', 0);
    } else {
      metrics.called(told, seconds(), 200, true);
      metrics.rejected(told, 'no_error', error instanceof StatusError ? error.code : 400);
    }
    throw error;
  }
}

async function ask(caller: Caller, { invocation, attributes, objects, mutating }: Call): Promise<Verdict> {
  const { webhook, view } = invocation;
  checkDryRun(webhook, attributes);
  if (!webhook.reviewVersions.includes('v1')) {
    throw new CallingWebhookError(
      webhook,
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1)',
      400,
    );
  }
  try {
    caller.clients.prepare(webhook.clientConfig);
  } catch (error) {
    throw new CallingWebhookError(webhook, `could not get REST client: ${messageOf(error)}`, 500);
  }
  const uid = caller.ctx.random.uid();
  let answer: unknown;
  try {
    const { signal } = attributes;
    const body = encodeReview(uid, attributes, view, objects);
    answer = await caller.clients.post({
      config: webhook.clientConfig,
      body,
      timeoutSeconds: webhook.timeoutSeconds,
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    throw new CallingWebhookError(
      webhook,
      `failed to call webhook: ${messageOf(error)}`,
      error instanceof StatusError ? error.code : 503,
    );
  }
  let verdict: Verdict;
  try {
    verdict = readReview(uid, mutating, answer);
  } catch (error) {
    throw new CallingWebhookError(webhook, `received invalid webhook response: ${messageOf(error)}`, 503);
  }
  for (const [key, value] of Object.entries(verdict.auditAnnotations))
    attributes.annotate(`${webhook.name}/${key}`, String(value));
  for (const warning of verdict.warnings) attributes.warn(warning);
  if (!verdict.allowed) throw denial(webhook, verdict.status ?? {});
  return verdict;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function checkDryRun({ name, sideEffects }: Webhook, { dryRun }: AdmissionAttributes): void {
  if (dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun')
    throw badRequest(`admission webhook ${quote(name)} does not support dry run`);
}

const MIN_ERROR_CODE = 400;

function denial(webhook: Webhook, status: Partial<Status>): StatusError {
  const by = `admission webhook ${quote(webhook.name)} denied the request`;
  const why = status.message || status.reason;
  const { status: given, code = 0, ...rest } = status;
  return new StatusError({
    ...rest,
    apiVersion: 'v1',
    kind: 'Status',
    metadata: status.metadata ?? {},
    status: given && given !== 'Success' ? given : 'Failure',
    message: why ? `${by}: ${why}` : `${by} without explanation`,
    code: Math.max(code, MIN_ERROR_CODE),
  });
}
