/** Creates, updates and deletes the pods of StatefulSets, and records events of the set. */
import type { ControllerRevision, StatefulSet } from '../../api/generated/apps-v1.ts';
import type { Pod, PodTemplateSpec } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import {
  controllerReference,
  isAlreadyExists,
  isControlledBy,
  isNamespaceTerminating,
  isNotFound,
} from '../../client/index.ts';
import type { ControllerContext } from '../controller.ts';
import { templateOf } from '../revisions/index.ts';
import type { StatefulClaims } from './claims.ts';
import { identityLabels, ordinalOf, podNameFor, REVISION_LABEL, STATEFUL_SET_KIND, volumesFor } from './identity.ts';

export class StatefulPods {
  readonly #context: ControllerContext;
  readonly #claims: StatefulClaims;

  constructor(context: ControllerContext, claims: StatefulClaims) {
    this.#context = context;
    this.#claims = claims;
  }

  async create(set: StatefulSet, ordinal: number, revision: ControllerRevision): Promise<void> {
    const { client, signal } = this.#context;
    await this.#claims.createMissing(set, ordinal);
    const pod = newPod(set, ordinal, revision, templateOf(revision) ?? set.spec?.template);
    await this.#announced(set, pod, 'Create', async () => {
      try {
        await client.resource('v1/pods').create(pod, { signal });
        return true;
      } catch (error) {
        if (isNamespaceTerminating(error)) return false;
        if (!isAlreadyExists(error)) throw error;
        const { namespace, name = '' } = pod.metadata;
        const existing = await client.resource('v1/pods').get({ namespace, name }, { signal });
        // The set's own pod, which the informer does not show yet; a pod of another owner has to be deleted first.
        if (isControlledBy(existing, set)) return false;
        throw error;
      }
    });
  }

  async delete(set: StatefulSet, pod: Pod): Promise<void> {
    const { client, signal } = this.#context;
    const { namespace, name = '', uid } = pod.metadata;
    await this.#announced(set, pod, 'Delete', async () => {
      try {
        await client.resource('v1/pods').delete({ namespace, name }, { preconditions: { uid }, signal });
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    });
  }

  /** Sets the identity labels of a pod. */
  async correct(set: StatefulSet, pod: Pod): Promise<void> {
    const { client, signal } = this.#context;
    const labels = { ...pod.metadata.labels, ...identityLabels(set, ordinalOf(pod)) };
    await this.#announced(set, pod, 'Update', async () => {
      await client.resource('v1/pods').update({ ...pod, metadata: { ...pod.metadata, labels } }, { signal });
      return true;
    });
  }

  async #announced(
    set: StatefulSet,
    pod: Pod,
    verb: 'Create' | 'Delete' | 'Update',
    work: () => Promise<boolean>,
  ): Promise<void> {
    const { recorder, signal } = this.#context;
    const subject = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    try {
      if (await work()) recorder.event(set, 'Normal', `Successful${verb}`, `${verb} ${subject} successful`);
    } catch (error) {
      if (!signal.aborted)
        recorder.event(set, 'Warning', `Failed${verb}`, `${verb} ${subject} failed error: ${errorMessage(error)}`);
      throw error;
    }
  }
}

function newPod(
  set: StatefulSet,
  ordinal: number,
  revision: ControllerRevision,
  template: PodTemplateSpec | undefined,
): Pod {
  const name = podNameFor(set, ordinal);
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const volumes = volumesFor(set, ordinal, template?.spec?.volumes);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      generateName: `${set.metadata.name}-`,
      namespace: set.metadata.namespace,
      labels: { ...labels, ...identityLabels(set, ordinal), [REVISION_LABEL]: revision.metadata.name ?? '' },
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [controllerReference(set, STATEFUL_SET_KIND)],
    },
    spec: {
      ...(template?.spec ?? { containers: [] }),
      hostname: name,
      ...(set.spec?.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...(volumes.length > 0 ? { volumes } : {}),
    },
  };
}
