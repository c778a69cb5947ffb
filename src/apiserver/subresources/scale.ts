/**
 * The scale subresource: a workload read and written as a Scale. The workload is stored; changes of the Scale's
 * replicas are applied to it.
 */
import type { Scale } from '../../api/generated/autoscaling-v1.ts';
import type { LabelSelector, ObjectMeta } from '../../api/generated/meta-v1.ts';
import { apiVersionOf, type GroupVersionKind, schema } from '../../api/index.ts';
import { cloneJson, deepEqual, isRecord } from '../../base/index.ts';
import {
  checkKind,
  managedFieldsOfParent,
  managedFieldsOfScale,
  type ReplicasPaths,
} from '../../machinery/apply/index.ts';
import { badRequest, conflict, failure, invalid, type StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { labelSelectorAsSelector, selectorFromLabels } from '../../machinery/selectors/index.ts';
import { validateBody } from '../../machinery/validation/index.ts';
import { attributesOf } from '../admission/attributes.ts';
import { readCustomScale, replicasSteps, requireReplicas, writeCustomReplicas } from '../crd/index.ts';
import type { Strategy } from '../registry/strategy.ts';
import { optionsObject, writeOptions, type WriteOptions } from '../request/options.ts';
import type { Result } from '../request/request.ts';
import type { Entry } from '../storage/entry.ts';
import { merged, readConfiguration } from '../verbs/apply.ts';
import { checkNamespace } from '../verbs/create.ts';
import { decodeBody } from '../verbs/decode-body.ts';
import { managerOf, trackUpdate } from '../verbs/managed-fields.ts';
import { patched, patchType } from '../verbs/patch.ts';
import { prepareForUpdate } from '../verbs/prepare-for-update.ts';
import type { Scope } from '../verbs/scope.ts';
import { checkResourceVersion, MODIFIED } from '../verbs/update-object.ts';

type ScaleObject = Scale & KubeObject;

const MESSAGE = schema.message('io.k8s.api.autoscaling.v1.Scale');
const SCALE: GroupVersionKind & { message: typeof MESSAGE } = {
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  message: MESSAGE,
};
const MAX_ATTEMPTS = 100;

/** The path of the replica count in each version of a workload, for field ownership. */
const pathsOf = ({ served }: Scope): ReplicasPaths => ({
  [apiVersionOf(served)]: served.scale ? replicasSteps(served.scale) : ['spec', 'replicas'],
});

export async function getScale(scope: Scope): Promise<Result> {
  const entry = await scope.backend.objects.get(scope.served, scope.place);
  if (scope.served.scale) requireReplicas(entry.object, scope.served.scale);
  return { type: 'object', status: 200, object: withoutManagedFields(scaleOf(scope, entry.object)) };
}

export async function updateScale(scope: Scope): Promise<Result> {
  const options = writeOptions('UpdateOptions', scope.request.query);
  const body = (await decodeBody(scope, { fieldValidation: options.fieldValidation, expected: SCALE })) as ScaleObject;
  checkNamespace(scope, body);
  checkName(scope, body);
  const view = scaleScope(scope);
  return writeScale(
    scope,
    options,
    async (live) => (await trackUpdate(view, live, cloneJson(body), managerOf(scope, options))) as ScaleObject,
  );
}

export async function patchScale(scope: Scope): Promise<Result> {
  const type = patchType(scope);
  const view = scaleScope(scope);
  if (type === 'application/apply-patch+yaml') {
    const options = writeOptions('PatchOptions', scope.request.query, true);
    const applied = await readConfiguration(view, options);
    return writeScale(scope, options, async (live) => {
      const isCustom = scope.served.scale && !Buffer.isBuffer(applied);
      if (isCustom && !live.metadata.managedFields?.length) {
        checkKind({ applied, kind: SCALE });
        throw notConvertible('live object', {});
      }
      const scale = (await merged(view, live, applied, options)) as ScaleObject;
      // What changes nothing is not converted.
      if (isCustom && !deepEqual(withoutManagedFields(scale), withoutManagedFields(live)))
        throw notConvertible('new object', applied['metadata'] as ObjectMeta);
      return scale;
    });
  }
  const options = writeOptions('PatchOptions', scope.request.query);
  const body = await scope.request.readBody();
  const manager = managerOf(scope, options);
  return writeScale(
    scope,
    options,
    async (live) =>
      (await trackUpdate(view, live, await patched(view, type, body, live, options), manager)) as ScaleObject,
  );
}

/** As upstream, which tries to convert the Scale of a custom resource to a version of the custom resource. */
function notConvertible(what: 'live object' | 'new object', { namespace = '', name = '' }: ObjectMeta): StatusError {
  const object = `${what} (${what === 'new object' ? namespace : ''}/${name}; autoscaling/v1, Kind=Scale)`;
  const why = 'request to convert CR to an invalid group/version: autoscaling/v1';
  const doing = what === 'live object' ? 'failed to create manager for existing fields: ' : '';
  return failure(500, '', `${doing}failed to convert ${object} to proper version: ${why}`);
}

/** The scope as if Scales were a resource of their own. */
function scaleScope(scope: Scope): Scope {
  const strategy: Strategy = {
    subresources: { scale: { prepareForUpdate: () => undefined, resetFields: ['status'] } },
  };
  const { decode, conform, conformApplied, versions, conversion, ...served } = scope.served;
  return { ...scope, served: { ...served, ...SCALE, strategy, custom: false } };
}

function checkName({ place }: Scope, { metadata: { name } }: ScaleObject): void {
  if (!name)
    throw badRequest(`the name of the object (${place.name} based on URL) was undeterminable: name must be provided`);
  if (name !== place.name)
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${place.name})`);
}

async function writeScale(
  scope: Scope,
  options: WriteOptions,
  compute: (live: ScaleObject) => ScaleObject | Promise<ScaleObject>,
): Promise<Result> {
  const { backend, served, place } = scope;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const current =
      attempt === 0 ? await backend.objects.get(served, place) : await backend.objects.fresh(served, place);
    const live = scaleOf(scope, current.object);
    const scale = await compute(live);
    const isPatch = options.kind === 'PatchOptions';
    const conditional = checkResourceVersion(scope, scale, current, { isPatch, dryRun: options.dryRun });
    const entry = await storeScale(scope, { options, current, live, scale });
    if (entry) return { type: 'object', status: 200, object: withoutManagedFields(scaleOf(scope, entry.object)) };
    // A patch applies to any version: the version in its result is the one that it was computed from.
    if (conditional && !isPatch) throw conflict(served.groupResource, place.name, MODIFIED);
  }
  throw conflict(served.groupResource, place.name, MODIFIED);
}

interface ScaleWrite {
  readonly options: WriteOptions;
  readonly current: Entry;
  readonly live: ScaleObject;
  readonly scale: ScaleObject;
}

async function storeScale(scope: Scope, { options, current, live, scale }: ScaleWrite): Promise<Entry | undefined> {
  const { backend, served, place } = scope;
  const { dryRun } = options;
  const attributes = attributesOf(scope, {
    operation: 'UPDATE',
    object: scale,
    oldObject: live,
    name: place.name,
    options: optionsObject(options),
    dryRun,
    kind: SCALE,
  });
  await backend.admission.admit(attributes);
  // The validation of the custom resource checks its replicas.
  const errors = served.scale ? [] : validateBody('Scale', scale, backend.validation);
  if (errors.length > 0) throw invalid(SCALE, place.name, errors);

  const object = cloneJson(current.object);
  const replicas = scale.spec?.replicas ?? 0;
  if (served.scale) writeCustomReplicas(object, served.scale, replicas);
  else object['spec'] = { ...(isRecord(object['spec']) ? object['spec'] : {}), replicas };
  const managedFields = managedFieldsOfParent({
    parent: object.metadata.managedFields ?? [],
    scale: scale.metadata.managedFields ?? [],
    apiVersion: apiVersionOf(served),
    paths: pathsOf(scope),
  });
  if (managedFields) object.metadata.managedFields = managedFields;
  else delete object.metadata.managedFields;
  // The workload's own strategy and validation decide about the write.
  const reservation = await prepareForUpdate(
    { ...scope, subresource: '' },
    {
      object,
      old: current.object,
      dryRun,
      unconditional: true,
      beforeStore: () => backend.admission.validate(attributes),
    },
  );
  const entry = await backend.objects.replace(served, place, current, object, dryRun, undefined, scope.span);
  await (entry && !dryRun ? reservation?.commit?.() : reservation?.rollback?.());
  return entry;
}

/** A workload as a Scale; its managedFields are the owners of the replica count. */
function scaleOf(scope: Scope, parent: KubeObject): ScaleObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
  const spec = isRecord(parent['spec']) ? parent['spec'] : {};
  const status = isRecord(parent['status']) ? parent['status'] : {};
  const custom = scope.served.scale ? readCustomScale(parent, scope.served.scale) : undefined;
  const replicas = custom?.replicas ?? Number(spec['replicas'] ?? 0);
  const managedFields = managedFieldsOfScale(parent.metadata.managedFields ?? [], pathsOf(scope));
  const selector = custom?.selector ?? selectorText(spec['selector']);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name ? { name } : {}),
      ...(namespace ? { namespace } : {}),
      ...(uid ? { uid } : {}),
      ...(resourceVersion ? { resourceVersion } : {}),
      ...(creationTimestamp ? { creationTimestamp } : {}),
      ...(managedFields ? { managedFields } : {}),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: custom?.statusReplicas ?? Number(status['replicas'] ?? 0), ...(selector ? { selector } : {}) },
  };
}

function withoutManagedFields(scale: ScaleObject): ScaleObject {
  const { managedFields: _, ...metadata } = scale.metadata;
  return { ...scale, metadata };
}

/** Replication controllers select by a plain map of labels, all others by a LabelSelector. */
function selectorText(selector: unknown): string {
  if (!isRecord(selector)) return '';
  const isLabelSelector = 'matchLabels' in selector || 'matchExpressions' in selector;
  if (!isLabelSelector) return selectorFromLabels(selector as Record<string, string>).toString();
  return labelSelectorAsSelector(selector as LabelSelector).toString();
}
