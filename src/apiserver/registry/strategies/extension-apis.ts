import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../../api/generated/admissionregistration-v1.ts';
/** Kinds that extend the server itself: admission configuration, custom resource definitions, aggregated APIs. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
} from '../../../api/generated/apiextensions-v1.ts';
import type { APIService } from '../../../api/generated/apiregistration-v1.ts';
import { deepEqual, formatTime } from '../../../base/index.ts';
import type { Clock } from '../../../kernel/index.ts';
import { knowSchema } from '../../../machinery/validation/index.ts';
import { inSlices } from '../../request/in-slices.ts';
import { celCompiler } from '../cel-compiler.ts';
import type { ObjectOf, Strategy, WriteContext } from '../strategy.ts';
import { specChanges } from './spec-generation.ts';

export const webhookConfigurations: Strategy<ObjectOf<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>> =
  {
    requireResourceVersionOnUpdate: true,
    generationChanges: (object, old) => !deepEqual(object.webhooks, old.webhooks),
  };

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
    // What this server serves itself is there at once.
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
  prepareForCreate: (definition, { ctx }) => {
    rememberStoredVersion(definition);
    return checkInSlices(ctx.clock, definition);
  },
  prepareForUpdate: (definition, old, { ctx }) => {
    rememberStoredVersion(definition);
    return checkInSlices(ctx.clock, definition, old);
  },
  prepareForDelete: awaitInstances,
  // Its grace is the time that its objects take to go.
  deletionHeld: () => false,
};

/**
 * The expensive checks of a definition's schemas, ahead of its validation and in slices: a large definition must not keep
 * others waiting. The validation, which follows at once, then finds them done.
 */
async function checkInSlices(clock: Clock, ...definitions: readonly CustomResourceDefinition[]): Promise<void> {
  // Its decoding was a piece of work already.
  await clock.yield();
  for (const { spec } of definitions) {
    for (const { schema } of spec?.versions ?? [])
      if (schema?.openAPIV3Schema) await inSlices(clock, knowSchema(schema.openAPIV3Schema, celCompiler));
  }
}

const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** A definition goes after its objects: the first request to delete it only says so. */
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

/** Every version that objects were ever stored in is listed until somebody has migrated them. */
function rememberStoredVersion(definition: CustomResourceDefinition): void {
  const stored = (definition.spec.versions ?? []).find((version) => version.storage)?.name;
  const status = definition.status;
  if (stored === undefined || !status || status.storedVersions?.includes(stored)) return;
  status.storedVersions = [...(status.storedVersions ?? []), stored];
}
