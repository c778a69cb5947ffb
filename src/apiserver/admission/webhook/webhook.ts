/** The webhooks of all webhook configurations, in the order of their calls. */
import type {
  MatchCondition,
  MutatingWebhook,
  RuleWithOperations,
  ValidatingWebhook,
} from '../../../api/generated/admissionregistration-v1.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Registry } from '../../registry/registry.ts';
import type { WebhookClientConfig } from '../../webhook-client/index.ts';
import { derivedFrom } from '../derived.ts';
import { LazySelector } from '../request-matching.ts';

export interface Webhook {
  /** Unique among all webhooks. */
  readonly id: string;
  readonly name: string;
  readonly configuration: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules: readonly RuleWithOperations[];
  readonly matchesEquivalents: boolean;
  readonly namespaceSelector: LazySelector;
  readonly objectSelector: LazySelector;
  readonly matchConditions: readonly MatchCondition[];
  readonly ignoresFailure: boolean;
  readonly sideEffects: string | undefined;
  readonly timeoutSeconds: number;
  readonly reviewVersions: readonly string[];
  readonly reinvokes: boolean;
}

const DEFAULT_TIMEOUT_SECONDS = 10;

type WebhookKind = 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations';

export function webhookSource(registry: Registry, plural: WebhookKind): () => readonly Webhook[] {
  const served = registry.require('admissionregistration.k8s.io', 'v1', plural);
  return derivedFrom(served, () => served.cache.list().flatMap(({ object }) => webhooksOf(object)));
}

function webhooksOf(configuration: KubeObject): Webhook[] {
  const hooks = (configuration['webhooks'] ?? []) as readonly (ValidatingWebhook &
    Pick<MutatingWebhook, 'reinvocationPolicy'>)[];
  const name = configuration.metadata.name ?? '';
  return hooks.map((hook, index) => ({
    id: `${name}/${hook.name}/${index}`,
    name: hook.name,
    configuration: name,
    clientConfig: hook.clientConfig,
    rules: hook.rules ?? [],
    matchesEquivalents: hook.matchPolicy !== 'Exact',
    namespaceSelector: new LazySelector(hook.namespaceSelector),
    objectSelector: new LazySelector(hook.objectSelector),
    matchConditions: hook.matchConditions ?? [],
    ignoresFailure: hook.failurePolicy === 'Ignore',
    sideEffects: hook.sideEffects,
    timeoutSeconds: hook.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
    reviewVersions: hook.admissionReviewVersions ?? [],
    reinvokes: hook.reinvocationPolicy === 'IfNeeded',
  }));
}
