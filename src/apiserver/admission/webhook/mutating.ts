/** MutatingAdmissionWebhook: calls the matching webhooks in order; each sees the changes of the earlier ones. */
import { errorMessage, deepEqual, quote } from '../../../base/index.ts';
import { parseJson } from '../../../machinery/decode/index.ts';
import { internalError, isStatusError, timeout } from '../../../machinery/errors/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import type { MatchConditionEvaluator } from '../match-conditions.ts';
import { ReinvocationTracker } from '../reinvocation.ts';
import { isExemptAdmissionConfigurationResource } from '../request-matching.ts';
import {
  decodeMutated,
  fromMatchedVersion,
  replaceContents,
  toMatchedVersion,
  type MatchedVersion,
} from '../versioned-objects.ts';
import type { AdmissionResult } from './admission-review.ts';
import { CallingWebhookError, callWebhook, type WebhookCaller } from './call-webhook.ts';
import { matchWebhook, type Invocation } from './match-webhook.ts';
import { applyWebhookPatch } from './webhook-patch.ts';
import type { Webhook } from './webhook.ts';

const MUTATION = 'mutation.webhook.admission.k8s.io/';
const FAILED_OPEN = 'failed-open.mutation.webhook.admission.k8s.io/';

export function mutatingWebhookPlugin(
  caller: WebhookCaller,
  webhooks: () => readonly Webhook[],
  conditions: MatchConditionEvaluator,
): AdmissionPlugin {
  const plugin: AdmissionPlugin = {
    name: 'MutatingAdmissionWebhook',
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    matches: (attributes) => webhooks().length > 0 && !isExemptAdmissionConfigurationResource(attributes),
    admit,
  };

  async function admit(attributes: AdmissionAttributes): Promise<void> {
    const { reinvocation, object } = attributes;
    const tracker = reinvocation.value(plugin, () => new ReinvocationTracker());
    tracker.startRun(reinvocation, object);
    let index = 0;
    for (const webhook of webhooks()) {
      const position = `round_${reinvocation.isReinvoke ? 1 : 0}_index_${index++}`;
      const invocation = await matchWebhook(webhook, attributes, conditions);
      if (!invocation || tracker.shouldSkip(reinvocation, webhook.id)) continue;
      const mutated = await invoke(invocation, attributes, position);
      attributes.annotate(
        `${MUTATION}${position}`,
        JSON.stringify({ configuration: webhook.configuration, webhook: webhook.name, mutated }),
      );
      tracker.invoked(reinvocation, webhook.id, { changed: mutated, reinvocable: webhook.reinvokes });
    }
    tracker.endRun(object);
  }

  /** Returns whether the webhook changed the object. */
  async function invoke(invocation: Invocation, attributes: AdmissionAttributes, position: string): Promise<boolean> {
    const { webhook, matched } = invocation;
    const objects = {
      object: await toMatchedVersion(attributes, matched, attributes.object),
      oldObject: await toMatchedVersion(attributes, matched, attributes.oldObject),
    };
    try {
      const result = await callWebhook(caller, { invocation, attributes, objects, mutating: true });
      return result.patch.length > 0 && (await applyPatch(webhook, attributes, matched, objects.object, result));
    } catch (error) {
      if (!(error instanceof CallingWebhookError)) throw error;
      if (!webhook.ignoresFailure) throw internalError(error.message);
      if (attributes.signal?.aborted) throw timeout('request did not complete within requested timeout', 0);
      caller.metrics.failedOpen({ name: webhook.name, type: 'admit' });
      caller.ctx.logger.info('Failed calling webhook, failing open', { webhook: webhook.name, error: error.message });
      attributes.annotate(`${FAILED_OPEN}${position}`, webhook.name);
      return false;
    }
  }

  return plugin;
}

async function applyPatch(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  matched: MatchedVersion,
  object: KubeObject | undefined,
  { patch, patchType }: AdmissionResult,
): Promise<boolean> {
  const operations = readPatch(webhook, patch);
  if (operations.length === 0) return false;
  if (!object)
    throw internalError(
      `admission webhook ${quote(webhook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  if (patchType !== 'JSONPatch')
    throw new CallingWebhookError(webhook, `unsupported patch type ${quote(patchType)}`, 400);
  let changed: KubeObject;
  try {
    changed = decodeMutated(matched, applyWebhookPatch(object, operations));
  } catch (error) {
    throw isStatusError(error) ? internalError(error.message) : error;
  }
  if (deepEqual(changed, object)) return false;
  replaceContents(attributes.object!, await fromMatchedVersion(attributes, matched, changed));
  return true;
}

function readPatch(webhook: Webhook, patch: Buffer): readonly Record<string, unknown>[] {
  try {
    const { value: operations } = parseJson(patch);
    if (operations === null) return [];
    if (!Array.isArray(operations))
      throw new Error('json: cannot unmarshal object into Go value of type jsonpatch.Patch');
    return operations as Record<string, unknown>[];
  } catch (error) {
    throw new CallingWebhookError(
      webhook,
      `received undecodable patch in webhook response: ${errorMessage(error)}`,
      503,
    );
  }
}
