/** Kinds that extend the server: admission configuration, custom resource definitions, aggregated APIs. */
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../../api/generated/admissionregistration-v1.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
} from '../../../api/generated/apiextensions-v1.ts';
import type { APIService } from '../../../api/generated/apiregistration-v1.ts';
import { deepEqual, formatTime } from '../../../base/index.ts';
import type { Clock } from '../../../kernel/index.ts';
import { type CelCompiler, compilerOf, prevalidateSchema } from '../../../machinery/validation/index.ts';
import { inSlices } from '../../request/in-slices.ts';
import type { ObjectOf, Strategy, WriteContext } from '../strategy.ts';
import { specChanges } from './spec-generation.ts';

export const webhookConfigurations: Strategy<ObjectOf<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>> =
  {
    requireResourceVersionOnUpdate: true,
    // An empty list counts as a change of the absent one that is stored.
    generationChanges: (object, old) => !deepEqual(object.webhooks, old.webhooks),
    tracked: withoutEmptyLists,
    canonicalize(object) {
      const { webhooks } = withoutEmptyLists(object);
      if (webhooks) object.webhooks = webhooks;
      else delete object.webhooks;
    },
  };

function withoutEmptyLists<T extends ObjectOf<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>>(
  configuration: T,
): T {
  const { webhooks, ...rest } = configuration;
  if (webhooks === undefined) return configuration;
  const filled = webhooks.map((webhook) => {
    const { rules = [], matchConditions = [], ...others } = webhook;
    return {
      ...others,
      ...(rules.length > 0 ? { rules } : {}),
      ...(matchConditions.length > 0 ? { matchConditions } : {}),
    };
  });
  return { ...rest, ...(filled.length > 0 ? { webhooks: filled } : {}) } as T;
}

export const admissionPolicies: Strategy = {
  requireResourceVersionOnUpdate: true,
  generationChanges: specChanges,
  statusMetadata: 'none',
  statusResetFields: ['spec', 'metadata'],
};

export const admissionPolicyBindings: Strategy = {
  requireResourceVersionOnUpdate: true,
  generationChanges: specChanges,
};

export const apiServices: Strategy<ObjectOf<APIService>> = {
  requireResourceVersionOnUpdate: true,
  prepareForCreate({ spec, status }, { ctx }) {
    // An APIService that this server serves itself is available at once.
    if (spec?.service || !status) return;
    const lastTransitionTime = formatTime(ctx.clock.now());
    status.conditions = [
      {
        type: 'Available',
        status: 'True',
        lastTransitionTime,
        reason: 'Local',
        message: 'Local APIServices are always available',
      },
    ];
  },
  statusMetadata: 'none',
  statusResetFields: ['spec', 'metadata'],
};

export const customResourceDefinitions: Strategy<ObjectOf<CustomResourceDefinition>> = {
  requireResourceVersionOnUpdate: true,
  generationChanges: specChanges,
  statusResetFields: ['spec', 'metadata'],
  prepareForCreate: (definition, { ctx, validatesInThread, validation }) => {
    rememberStoredVersion(definition);
    return validatesInThread ? undefined : checkInSlices(ctx.clock, compilerOf(validation), definition);
  },
  prepareForUpdate: (definition, old, { ctx, validatesInThread, validation }) => {
    rememberStoredVersion(definition);
    return validatesInThread ? undefined : checkInSlices(ctx.clock, compilerOf(validation, old), definition, old);
  },
  prepareForDelete: awaitInstances,
  firstDeleteIgnoresPropagation: true,
  // A definition is deleted once its objects are gone; nothing else holds it.
  deletionHeld: () => false,
};

/**
 * Runs the expensive checks of a definition's schemas in slices ahead of validation, which then finds them done: a
 * large definition must not block other requests.
 */
async function checkInSlices(
  clock: Clock,
  cel: CelCompiler | undefined,
  ...definitions: readonly CustomResourceDefinition[]
): Promise<void> {
  // Decoding has already used up a slice.
  await clock.yield();
  for (const { spec } of definitions) {
    for (const { schema } of spec?.versions ?? [])
      if (schema?.openAPIV3Schema) await inSlices(clock, prevalidateSchema(schema.openAPIV3Schema, cel));
  }
}

const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** The first request to delete a definition only marks it; it is removed after its objects. */
function awaitInstances(definition: ObjectOf<CustomResourceDefinition>, { ctx }: WriteContext): void {
  const { metadata, status } = definition;
  const conditions = status?.conditions ?? [];
  if (conditions.some(({ type }) => type === 'Terminating')) return;
  if (metadata.generation) metadata.generation--;
  if (!metadata.finalizers?.includes(CLEANUP_FINALIZER))
    metadata.finalizers = [...(metadata.finalizers ?? []), CLEANUP_FINALIZER];
  const terminating: CustomResourceDefinitionCondition = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: formatTime(ctx.clock.now()),
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  definition.status = { ...status!, conditions: [...conditions, terminating] };
}

/** storedVersions lists every version that objects were ever stored in, until someone migrates them. */
function rememberStoredVersion(definition: CustomResourceDefinition): void {
  const stored = (definition.spec.versions ?? []).find((version) => version.storage)?.name;
  const status = definition.status;
  if (stored === undefined || !status || status.storedVersions?.includes(stored)) return;
  status.storedVersions = [...(status.storedVersions ?? []), stored];
}
