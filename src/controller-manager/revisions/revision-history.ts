/** The ControllerRevisions of a workload: lookup, adoption, creation and cleanup. */
import type { ControllerRevision } from '../../api/generated/apps-v1.ts';
import type { LabelSelector } from '../../api/generated/meta-v1.ts';
import {
  adoptionPatch,
  byControllerUid,
  claimObjects,
  CONTROLLER_UID_INDEX,
  controllerOf,
  controllerReference,
  isAlreadyExists,
  isNotFound,
  releasePatch,
  type ApiObject,
  type SharedInformer,
} from '../../client/index.ts';
import { labelSelectorAsSelector } from '../../machinery/selectors/index.ts';
import type { ControllerContext } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { byRevision, sameData } from './revision-data.ts';

const ORPHANS_INDEX = 'orphansByNamespace';

export interface RevisionOwner {
  readonly owner: ApiObject;
  readonly kind: { apiVersion: string; kind: string };
  readonly selector: LabelSelector | undefined;
  canAdopt(): Promise<boolean>;
}

interface NewRevision extends RevisionOwner {
  readonly data: unknown;
  /** Of the template or of the data: the owner's kind decides. */
  readonly hash: string;
  readonly revision: number;
  /** The label with the hash. */
  readonly hashLabel: string;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
}

export class RevisionHistory {
  readonly informer: SharedInformer<ControllerRevision>;
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.informer = context.informers.informer(
      'apps/v1/controllerrevisions',
      {},
      {
        [CONTROLLER_UID_INDEX]: byControllerUid,
        [ORPHANS_INDEX]: (revision) =>
          controllerOf(revision) === undefined ? [revision.metadata.namespace ?? ''] : [],
      },
    );
  }

  /** The revisions of an owner, the oldest first. */
  async list({ owner, kind, selector, canAdopt }: RevisionOwner): Promise<ControllerRevision[]> {
    const matcher = labelSelectorAsSelector(selector);
    const { indexer } = this.informer;
    const claimed = await claimObjects<ControllerRevision>({
      owner,
      candidates: [
        ...indexer.byIndex(CONTROLLER_UID_INDEX, owner.metadata.uid ?? ''),
        ...indexer.byIndex(ORPHANS_INDEX, owner.metadata.namespace ?? ''),
      ],
      matches: (revision) => matcher.matches(revision.metadata.labels ?? {}),
      adopt: (revision) => this.#patch(revision, adoptionPatch(revision, controllerReference(owner, kind))),
      release: (revision) => this.#patch(revision, releasePatch(revision, owner.metadata.uid ?? '')),
      canAdopt,
      isGone: isNotFound,
    });
    return claimed.sort(byRevision);
  }

  /** Creates a revision; undefined on a hash collision, when the caller has to increase the collision count. */
  async create(wanted: NewRevision): Promise<ControllerRevision | undefined> {
    const { client, signal } = this.#context;
    const { owner, kind, data, hash, revision, labels, hashLabel, annotations } = wanted;
    const name = `${owner.metadata.name}-${hash}`;
    const { namespace } = owner.metadata;
    const resource = client.resource('apps/v1/controllerrevisions');
    const metadata = {
      name,
      namespace,
      labels: { ...labels, [hashLabel]: hash },
      annotations,
      ownerReferences: [controllerReference(owner, kind)],
    };
    try {
      return await resource.create({ metadata, data, revision }, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const existing = await resource.get({ namespace, name }, { signal });
    return sameData(existing, data) && controllerOf(existing)?.uid === owner.metadata.uid ? existing : undefined;
  }

  async setRevision(revision: ControllerRevision, number: number): Promise<ControllerRevision> {
    const { client, signal } = this.#context;
    return client.resource('apps/v1/controllerrevisions').update({ ...revision, revision: number }, { signal });
  }

  async delete({ metadata: { namespace, name = '', uid } }: ControllerRevision): Promise<void> {
    const { client, signal } = this.#context;
    await ignoreNotFound(() =>
      client.resource('apps/v1/controllerrevisions').delete({ namespace, name }, { preconditions: { uid }, signal }),
    );
  }

  async #patch({ metadata: { namespace, name = '' } }: ControllerRevision, patch: unknown): Promise<void> {
    const { client, signal } = this.#context;
    await client
      .resource('apps/v1/controllerrevisions')
      .patch({ namespace, name }, patch, { type: 'strategic', signal });
  }
}
