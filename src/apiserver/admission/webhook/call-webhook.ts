/** Calls one admission webhook: sends an AdmissionReview, verifies the response, and counts the call. */
import type { Status } from '../../../api/generated/meta-v1.ts';
import { errorMessage, quote } from '../../../base/index.ts';
import type { Context } from '../../../kernel/index.ts';
import { badRequest, StatusError } from '../../../machinery/errors/index.ts';
import type { AdmissionCall } from '../../request/admission-record.ts';
import type { WebhookClients } from '../../webhook-client/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import {
  encodeAdmissionReview,
  verifyAdmissionResponse,
  type ReviewedObjects,
  type AdmissionResult,
} from './admission-review.ts';
import type { Invocation } from './match-webhook.ts';
import type { WebhookLabels, WebhookMetrics } from './webhook-metrics.ts';
import type { Webhook } from './webhook.ts';

/** The call failed or the response is invalid: failurePolicy decides about the request. */
export class CallingWebhookError extends Error {
  constructor(
    webhook: Webhook,
    reason: string,
    /** The code in metrics. */
    readonly code: number,
  ) {
    super(`failed calling webhook ${quote(webhook.name)}: ${reason}`);
  }
}

export interface WebhookCaller {
  readonly ctx: Context;
  readonly clients: WebhookClients;
  readonly metrics: WebhookMetrics;
}

const ADMISSION_REVIEW = { group: 'admission.k8s.io', versions: ['v1', 'v1beta1'], kind: 'AdmissionReview' };

interface WebhookCall {
  readonly invocation: Invocation;
  readonly attributes: AdmissionAttributes;
  readonly objects: ReviewedObjects;
  readonly mutating: boolean;
}

/** Throws a CallingWebhookError, or the StatusError of a denial. */
export async function callWebhook(caller: WebhookCaller, call: WebhookCall): Promise<AdmissionResult> {
  const { metrics, ctx } = caller;
  const startedAt = ctx.clock.monotonic();
  const labels: WebhookLabels = {
    name: call.invocation.webhook.name,
    type: call.mutating ? 'admit' : 'validating',
    operation: call.attributes.operation,
  };
  const seconds = (): number => (ctx.clock.monotonic() - startedAt) / 1000;
  try {
    const result = await reviewRequest(caller, call);
    metrics.called(labels, seconds(), 200, false);
    record(call, seconds(), result.patch.length > 0 ? { outcome: 'changed', patch: result.patch.toString() } : ALLOWED);
    return result;
  } catch (error) {
    const isFailure = error instanceof CallingWebhookError;
    const outcome = !isFailure ? 'denied' : call.invocation.webhook.ignoresFailure ? 'ignored' : 'failed';
    record(call, seconds(), { outcome, message: errorMessage(error) });
    if (isFailure) {
      metrics.called(labels, seconds(), error.code, true);
      if (!call.invocation.webhook.ignoresFailure) metrics.rejected(labels, 'calling_webhook_error', 0);
    } else {
      metrics.called(labels, seconds(), 200, true);
      metrics.rejected(labels, 'no_error', error instanceof StatusError ? error.code : 400);
    }
    throw error;
  } finally {
    call.attributes.waitedFor?.(ctx.clock.monotonic() - startedAt);
  }
}

const ALLOWED = { outcome: 'allowed' } as const;

function record(
  { attributes, invocation: { webhook }, mutating }: WebhookCall,
  seconds: number,
  outcome: Pick<AdmissionCall, 'outcome' | 'message' | 'patch'>,
): void {
  attributes.record?.called({
    plugin: mutating ? 'MutatingAdmissionWebhook' : 'ValidatingAdmissionWebhook',
    name: webhook.name,
    configuration: webhook.configuration,
    milliseconds: seconds * 1000,
    ...outcome,
  });
}

async function reviewRequest(
  caller: WebhookCaller,
  { invocation, attributes, objects, mutating }: WebhookCall,
): Promise<AdmissionResult> {
  const { webhook, matched } = invocation;
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
    throw new CallingWebhookError(webhook, `could not get REST client: ${errorMessage(error)}`, 500);
  }
  const uid = caller.ctx.random.uid();
  let response: unknown;
  try {
    const { signal } = attributes;
    const body = encodeAdmissionReview(uid, attributes, matched, objects);
    response = await caller.clients.post({
      config: webhook.clientConfig,
      body,
      expects: ADMISSION_REVIEW,
      timeoutSeconds: webhook.timeoutSeconds,
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    throw new CallingWebhookError(
      webhook,
      `failed to call webhook: ${errorMessage(error)}`,
      error instanceof StatusError ? error.code : 503,
    );
  }
  let result: AdmissionResult;
  try {
    result = verifyAdmissionResponse(uid, mutating, response);
  } catch (error) {
    throw new CallingWebhookError(webhook, `received invalid webhook response: ${errorMessage(error)}`, 503);
  }
  for (const [key, value] of Object.entries(result.auditAnnotations))
    attributes.annotate(`${webhook.name}/${key}`, String(value));
  for (const warning of result.warnings) attributes.warn(warning);
  if (!result.allowed) throw denial(webhook, result.status ?? {});
  return result;
}

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
