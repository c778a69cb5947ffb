/** Binding: a scheduler assigns a pod to a node, once only, and never a pod that is gated or being deleted. */
import type { Binding, Pod, PodCondition } from '../../api/generated/core-v1.ts';
import { schema } from '../../api/index.ts';
import { formatTime } from '../../base/index.ts';
import { canonicalize } from '../../machinery/decode/index.ts';
import { aggregateMessage, badRequest, conflict, failure } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { validateBody } from '../../machinery/validation/index.ts';
import { attributesOf } from '../admission/attributes.ts';
import { optionsObject, writeOptions } from '../request/options.ts';
import type { Result } from '../request/request.ts';
import { checkNamespace } from '../verbs/create.ts';
import { decodeBody } from '../verbs/decode-body.ts';
import type { Scope } from '../verbs/scope.ts';
import { checkResourceVersion, MODIFIED } from '../verbs/update-object.ts';
import { done } from './success.ts';

type BindingObject = Binding & KubeObject;
type PodObject = Pod & KubeObject;

const BINDING = { group: '', version: 'v1', kind: 'Binding' };
const CONDITION = schema.message('io.k8s.api.core.v1.PodCondition');
const BINDING_RESOURCE = { group: '', resource: 'pods/binding' };
const MAX_ATTEMPTS = 100;

/** POST to pods/NAME/binding. */
export async function bindPod(scope: Scope): Promise<Result> {
  const { options, binding } = await readBinding(scope);
  if (binding.metadata.name !== scope.place.name) throw badRequest('name in URL does not match name in Binding object');
  return bind(scope, binding, options);
}

/** POST to bindings: the body names the pod. */
export async function createBinding(scope: Scope): Promise<Result> {
  const { options, binding } = await readBinding(scope);
  // What is created gets a uid of its own: here it is no precondition.
  delete binding.metadata.uid;
  const { name } = binding.metadata;
  if (!name) {
    const errors = validateBody('Binding', binding, scope.backend.validation);
    if (errors.length > 0) throw failure(500, '', aggregateMessage(errors));
    throw badRequest('Name parameter required.');
  }
  const served = scope.backend.registry.require('', 'v1', 'pods');
  return bind({ ...scope, served, place: { ...scope.place, name } }, binding, options, scope);
}

async function readBinding(
  scope: Scope,
): Promise<{ options: ReturnType<typeof writeOptions>; binding: BindingObject }> {
  const options = writeOptions('CreateOptions', scope.request.query);
  const binding = (await decodeBody(scope, {
    fieldValidation: options.fieldValidation,
    expected: BINDING,
  })) as BindingObject;
  checkNamespace(scope, binding);
  return { options, binding };
}

/** `admitted` is the request as admission sees it: for pods/binding, or for the legacy bindings resource. */
async function bind(
  scope: Scope,
  binding: BindingObject,
  options: ReturnType<typeof writeOptions>,
  admitted = scope,
): Promise<Result> {
  const { backend, served, place } = scope;
  const attributes = attributesOf(admitted, {
    operation: 'CREATE',
    object: binding,
    name: place.name,
    options: optionsObject(options),
    dryRun: options.dryRun,
    kind: BINDING,
  });
  await backend.admission.admit(attributes);
  const errors = validateBody('Binding', binding, backend.validation);
  if (errors.length > 0) throw failure(500, '', aggregateMessage(errors));
  await backend.admission.validate(attributes);

  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const current =
      attempt === 0 ? await backend.objects.get(served, place) : await backend.objects.fresh(served, place);
    const conditional = checkResourceVersion(scope, binding, current, { isPatch: false, dryRun: options.dryRun });
    const pod = assigned(current.object as PodObject, binding, formatTime(backend.ctx.clock.now()));
    if (await backend.objects.replace(served, place, current, pod, options.dryRun, undefined, scope.span))
      return done(201);
    if (conditional) break;
  }
  throw conflict(served.groupResource, place.name, MODIFIED);
}

/** The pod with its node; shares unchanged fields with `pod`. */
function assigned(pod: PodObject, { target, metadata }: BindingObject, now: string): PodObject {
  const name = pod.metadata.name ?? '';
  const refuse = (why: string): never => {
    throw conflict(BINDING_RESOURCE, name, why);
  };
  if (pod.metadata.deletionTimestamp) refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec?.nodeName) refuse(`pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
  if ((pod.spec?.schedulingGates?.length ?? 0) > 0) refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  const bound: PodObject = {
    ...pod,
    metadata: { ...pod.metadata },
    spec: { ...pod.spec!, nodeName: target.name ?? '' },
    status: { ...pod.status },
  };
  if (metadata.annotations) bound.metadata.annotations = { ...pod.metadata.annotations, ...metadata.annotations };
  if (metadata.labels) bound.metadata.labels = { ...pod.metadata.labels, ...metadata.labels };
  // The nomination no longer matters.
  delete bound.status!.nominatedNodeName;
  setScheduled(bound, now);
  return bound;
}

function setScheduled(pod: PodObject, now: string): void {
  const conditions = (pod.status!.conditions = [...(pod.status!.conditions ?? [])]);
  const at = conditions.findIndex((condition) => condition.type === 'PodScheduled');
  const before = conditions[at];
  if (before?.status === 'True') return;
  const condition = canonicalize(CONDITION, {
    type: 'PodScheduled',
    status: 'True',
    lastTransitionTime: now,
  }) as unknown as PodCondition;
  if (before) conditions[at] = condition;
  else conditions.push(condition);
}
