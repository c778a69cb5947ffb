/** Reconciles one terminating namespace: deletes its content, and then finalizes it. */
import type { Namespace } from '../../api/generated/core-v1.ts';
import { formatTime, parseTime } from '../../base/index.ts';
import type { ResourceClient, SharedInformer } from '../../client/index.ts';
import type { ControllerContext, Reconciler, Requeue } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { deleteContent } from './delete-content.ts';
import { deletionConditions, withConditions } from './deletion-conditions.ts';

const FINALIZER = 'kubernetes';

export class NamespaceReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #namespaces: SharedInformer<Namespace>;
  readonly #resource: ResourceClient<Namespace>;
  readonly #waiting: Set<string>;

  /** `waiting`: namespaces with objects that have not gone yet, for all workers. */
  constructor(context: ControllerContext, namespaces: SharedInformer<Namespace>, waiting: Set<string>) {
    this.#waiting = waiting;
    this.#context = context;
    this.#namespaces = namespaces;
    this.#resource = context.client.resource('v1/namespaces');
  }

  async reconcile(name: string): Promise<Requeue | void> {
    const { client, clock, signal } = this.#context;
    this.#waiting.delete(name);
    if (!this.#namespaces.get(name)?.metadata.deletionTimestamp) return;
    const live = await ignoreNotFound(() => this.#resource.get({ name }, { signal }));
    if (!live?.metadata.deletionTimestamp || !live.spec?.finalizers?.length) return;
    let namespace = await this.#setTerminating(live);
    this.#waiting.add(name);
    const sinceSeconds = (clock.now() - parseTime(live.metadata.deletionTimestamp)) / 1000;
    const content = await deleteContent({ client, namespace: name, sinceSeconds, signal });
    const changed = withConditions(namespace, deletionConditions(content.progress), formatTime(clock.now()));
    if (changed) namespace = await this.#resource.updateStatus(changed, { signal });
    if (content.errors.length === 1) throw content.errors[0];
    if (content.errors.length > 1)
      throw new AggregateError(content.errors, `failed to delete the content of namespace ${name}`);
    if (content.estimateSeconds > 0) return { afterMs: (Math.floor(content.estimateSeconds / 2) + 1) * 1000 };
    this.#waiting.delete(name);
    await this.#finalize(namespace);
  }

  async #setTerminating(namespace: Namespace): Promise<Namespace> {
    if (namespace.status?.phase === 'Terminating') return namespace;
    const terminating = { ...namespace, status: { ...namespace.status, phase: 'Terminating' } };
    return this.#resource.updateStatus(terminating, { signal: this.#context.signal });
  }

  async #finalize(namespace: Namespace): Promise<void> {
    const rest = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
    const finalizers = rest.length > 0 ? rest : undefined;
    const finalize = this.#resource.subresource({ name: namespace.metadata.name ?? '' }, 'finalize');
    await ignoreNotFound(() =>
      finalize.update({ ...namespace, spec: { ...namespace.spec, finalizers } }, { signal: this.#context.signal }),
    );
  }
}
