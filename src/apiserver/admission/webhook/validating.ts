/** ValidatingAdmissionWebhook: calls all matching webhooks in parallel. */
import { internalError, timeout } from '../../../machinery/errors/index.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import type { MatchConditionEvaluator } from '../match-conditions.ts';
import { isExemptAdmissionConfigurationResource } from '../request-matching.ts';
import { toMatchedVersion } from '../versioned-objects.ts';
import { CallingWebhookError, callWebhook, type WebhookCaller } from './call-webhook.ts';
import { matchWebhook, type Invocation } from './match-webhook.ts';
import type { Webhook } from './webhook.ts';

const FAILED_OPEN = 'failed-open.validating.webhook.admission.k8s.io/round_0_index_';

export function validatingWebhookPlugin(
  caller: WebhookCaller,
  webhooks: () => readonly Webhook[],
  conditions: MatchConditionEvaluator,
): AdmissionPlugin {
  async function validate(attributes: AdmissionAttributes): Promise<void> {
    const invocations: Invocation[] = [];
    for (const webhook of webhooks()) {
      const invocation = await matchWebhook(webhook, attributes, conditions);
      if (invocation) invocations.push(invocation);
    }
    const outcomes = await Promise.allSettled(
      invocations.map((invocation, index) => invoke(invocation, attributes, index)),
    );
    const rejected = outcomes.find((outcome) => outcome.status === 'rejected');
    if (rejected) throw rejected.reason;
  }

  async function invoke(invocation: Invocation, attributes: AdmissionAttributes, index: number): Promise<void> {
    const { webhook, matched } = invocation;
    const objects = {
      object: await toMatchedVersion(attributes, matched, attributes.object),
      oldObject: await toMatchedVersion(attributes, matched, attributes.oldObject),
    };
    try {
      await callWebhook(caller, { invocation, attributes, objects, mutating: false });
    } catch (error) {
      if (!(error instanceof CallingWebhookError)) throw error;
      if (!webhook.ignoresFailure) throw internalError(error.message);
      if (attributes.signal?.aborted) throw timeout('request did not complete within requested timeout', 0);
      caller.metrics.failedOpen({ name: webhook.name, type: 'validating' });
      caller.ctx.logger.info('Failed calling webhook, failing open', { webhook: webhook.name, error: error.message });
      attributes.annotate(`${FAILED_OPEN}${index}`, webhook.name);
    }
  }

  return {
    name: 'ValidatingAdmissionWebhook',
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    matches: (attributes) => webhooks().length > 0 && !isExemptAdmissionConfigurationResource(attributes),
    validate,
  };
}
