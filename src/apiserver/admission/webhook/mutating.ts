import { cloneJson, deepEqual, quote } from '../../../base/index.ts';
/** MutatingAdmissionWebhook: one webhook after the other, each sees what those before it made of the object. */
import { parseJson } from '../../../machinery/decode/index.ts';
import { internalError, isStatusError, timeout } from '../../../machinery/errors/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import type { MatchConditionEvaluator } from '../match-conditions.ts';
import { isExempt } from '../request-matching.ts';
import { decodeChanged, fromView, replaceContents, toView, type View } from '../versioned-objects.ts';
import type { Verdict } from './admission-review.ts';
import { CallingWebhookError, callWebhook, messageOf, type Caller } from './call-webhook.ts';
import { matchWebhook, type Invocation } from './match-webhook.ts';
import { applyWebhookPatch } from './webhook-patch.ts';
import type { Webhook } from './webhook.ts';

const MUTATION = 'mutation.webhook.admission.k8s.io/';
const FAILED_OPEN = 'failed-open.mutation.webhook.admission.k8s.io/';

/** Which webhooks are called again when the chain runs for the second time. */
class Again {
  /** Called, and willing to be called again. */
  readonly called = new Set<string>();
  readonly due = new Set<string>();
  lastOutput: KubeObject | undefined;

  changed(): void {
    for (const id of this.called) this.due.add(id);
    this.called.clear();
  }
}

export function mutatingWebhookPlugin(
  caller: Caller,
  webhooks: () => readonly Webhook[],
  conditions: MatchConditionEvaluator,
): AdmissionPlugin {
  const plugin: AdmissionPlugin = {
    name: 'MutatingAdmissionWebhook',
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    matches: (attributes) => webhooks().length > 0 && !isExempt(attributes),
    admit,
  };

  async function admit(attributes: AdmissionAttributes): Promise<void> {
    const { reinvocation, object } = attributes;
    const again = reinvocation.kept(plugin, () => new Again());
    if (reinvocation.isReinvoke && !deepEqual(again.lastOutput, object)) again.changed();
    let index = 0;
    for (const webhook of webhooks()) {
      const position = `round_${reinvocation.isReinvoke ? 1 : 0}_index_${index++}`;
      const invocation = await matchWebhook(webhook, attributes, conditions);
      if (!invocation || (reinvocation.isReinvoke && !again.due.has(webhook.id))) continue;
      const mutated = await ask(invocation, attributes, position);
      attributes.annotate(
        `${MUTATION}${position}`,
        JSON.stringify({ configuration: webhook.configuration, webhook: webhook.name, mutated }),
      );
      if (mutated) {
        again.changed();
        reinvocation.wanted = true;
      }
      if (webhook.reinvokes) again.called.add(webhook.id);
    }
    again.lastOutput = object && cloneJson(object);
  }

  /** Whether the webhook changed the object. */
  async function ask(invocation: Invocation, attributes: AdmissionAttributes, position: string): Promise<boolean> {
    const { webhook, view } = invocation;
    const objects = {
      object: await toView(attributes, view, attributes.object),
      oldObject: await toView(attributes, view, attributes.oldObject),
    };
    try {
      const verdict = await callWebhook(caller, { invocation, attributes, objects, mutating: true });
      return verdict.patch.length > 0 && (await change(webhook, attributes, view, objects.object, verdict));
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

async function change(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  view: View,
  object: KubeObject | undefined,
  { patch, patchType }: Verdict,
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
    changed = decodeChanged(view, applyWebhookPatch(object, operations));
  } catch (error) {
    throw isStatusError(error) ? internalError(error.message) : error;
  }
  if (deepEqual(changed, object)) return false;
  replaceContents(attributes.object!, await fromView(attributes, view, changed));
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
    throw new CallingWebhookError(webhook, `received undecodable patch in webhook response: ${messageOf(error)}`, 503);
  }
}
