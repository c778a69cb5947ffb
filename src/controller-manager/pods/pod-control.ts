/** Creation, deletion, adoption and release of pods by their owners. */
import type { Pod, PodTemplateSpec } from '../../api/generated/core-v1.ts';
import type { OwnerReference } from '../../api/generated/meta-v1.ts';
import { errorMessage } from '../../base/index.ts';
import { adoptionPatch, isNamespaceTerminating, isNotFound, releasePatch, type ApiObject } from '../../client/index.ts';
import type { ControllerContext } from '../controller.ts';

export interface CreatePodOptions {
  readonly owner: ApiObject;
  readonly reference: OwnerReference;
  readonly template: PodTemplateSpec | undefined;
  /** Defaults to the owner's name with a generated suffix. */
  readonly name?: string;
  readonly generateName?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly finalizers?: readonly string[];
  /** Changes of the template's spec for this pod. */
  readonly spec?: Partial<NonNullable<Pod['spec']>>;
}

/** Creates, deletes, adopts and releases pods for their owners, and records events of the owner. */
export class PodControl {
  readonly #context: Pick<ControllerContext, 'client' | 'recorder' | 'signal'>;

  constructor(context: Pick<ControllerContext, 'client' | 'recorder' | 'signal'>) {
    this.#context = context;
  }

  async create(options: CreatePodOptions): Promise<Pod> {
    const { client, recorder, signal } = this.#context;
    try {
      const pod = await client.resource('v1/pods').create(podFromTemplate(options), { signal });
      recorder.event(options.owner, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
      return pod;
    } catch (error) {
      if (!signal.aborted && !isNamespaceTerminating(error))
        recorder.event(options.owner, 'Warning', 'FailedCreate', `Error creating: ${errorMessage(error)}`);
      throw error;
    }
  }

  /** A pod that does not exist any more, or was replaced by another of that name, counts as deleted. */
  async delete(pod: Pod, owner: ApiObject): Promise<void> {
    const { client, recorder, signal } = this.#context;
    const { namespace, name = '', uid } = pod.metadata;
    try {
      await client.resource('v1/pods').delete({ namespace, name }, { preconditions: { uid }, signal });
    } catch (error) {
      if (isNotFound(error)) return;
      if (!signal.aborted) recorder.event(owner, 'Warning', 'FailedDelete', `Error deleting: ${errorMessage(error)}`);
      throw error;
    }
    recorder.event(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
  }

  async adopt(pod: Pod, reference: OwnerReference, finalizers?: readonly string[]): Promise<void> {
    const patch = adoptionPatch(pod, reference) as { metadata: object };
    await this.#patch(pod, finalizers === undefined ? patch : { metadata: { ...patch.metadata, finalizers } });
  }

  /** Also removes the finalizer, if one is given. */
  async release(pod: Pod, ownerUid: string, finalizer?: string): Promise<void> {
    const patch = releasePatch(pod, ownerUid) as { metadata: object };
    await this.#patch(
      pod,
      finalizer === undefined
        ? patch
        : { metadata: { ...patch.metadata, '$deleteFromPrimitiveList/finalizers': [finalizer] } },
    );
  }

  async #patch(pod: Pod, patch: unknown): Promise<void> {
    const { client, signal } = this.#context;
    const { namespace, name = '' } = pod.metadata;
    await client.resource('v1/pods').patch({ namespace, name }, patch, { type: 'strategic', signal });
  }
}

function podFromTemplate(options: CreatePodOptions): Pod {
  const { owner, reference, template, name, generateName = `${owner.metadata.name}-` } = options;
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const allLabels = { ...labels, ...options.labels };
  if (Object.keys(allLabels).length === 0) throw new Error('unable to create pods, no labels');
  const allAnnotations = { ...annotations, ...options.annotations };
  const allFinalizers = [...(finalizers ?? []), ...(options.finalizers ?? [])];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: owner.metadata.namespace,
      ...(name === undefined ? { generateName } : { name }),
      labels: allLabels,
      ...(Object.keys(allAnnotations).length > 0 ? { annotations: allAnnotations } : {}),
      ...(allFinalizers.length > 0 ? { finalizers: allFinalizers } : {}),
      ownerReferences: [reference],
      ...(name !== undefined && options.generateName !== undefined ? { generateName: options.generateName } : {}),
    },
    spec: { ...(template?.spec ?? { containers: [] }), ...options.spec },
  };
}
