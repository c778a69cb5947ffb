/**
 * storage-version-migrator-controller: rewrites the objects of a resource, so that they are stored in the present version.
 * One migration of a resource runs at a time, the oldest first. It notes the resourceVersion from which on objects are
 * stored as they should be, and applies an empty configuration to every object that is older.
 */
import type { Condition } from '../../api/generated/meta-v1.ts';
import type { StorageVersionMigration } from '../../api/generated/storagemigration-v1beta1.ts';
import { errorMessage, formatTime, parseTime } from '../../base/index.ts';
import {
  apiVersionOf,
  isConflict,
  isNotFound,
  keyOf,
  type ApiObject,
  type DiscoveredResource,
  type Resource,
} from '../../client/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import { keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';

const NAME = 'storage-version-migrator-controller';
/** A new resource may not be discovered yet. */
const PATIENCE_MS = 60_000;
const NEEDED_VERBS = ['create', 'list', 'patch'];
const RETRIED = ['InternalError', 'ServerTimeout', 'ServiceUnavailable', 'Timeout', 'TooManyRequests'];
const PAGE = 500;

export const storageVersionMigratorController: ControllerDescriptor = {
  name: NAME,
  build(context) {
    const migrator = new Migrator(context);
    const { queue, run } = keyedLoop(context, 'storage_version_migrator', 1, (name) => migrator.reconcile(name));
    const enqueue = (resource: Resource, object: ApiObject): void => {
      if (isMigrations(resource)) queue.add(keyOf(object));
    };
    const { discovered } = context;
    discovered.use({
      onAdd: enqueue,
      onUpdate: (resource, _, after) => enqueue(resource, after),
      // The next migration of the same resource can run.
      onDelete: (resource) => {
        if (isMigrations(resource))
          for (const name of discovered.informer(resource.group, resource.plural)?.indexer.keys() ?? [])
            queue.add(name);
      },
    });
    return run;
  },
};

const isMigrations = ({ group, plural }: Resource): boolean =>
  group === 'storagemigration.k8s.io' && plural === 'storageversionmigrations';

const isTrue = ({ status }: StorageVersionMigration, type: string): boolean =>
  status?.conditions?.find((condition) => condition.type === type)?.status === 'True';

const isOver = (migration: StorageVersionMigration): boolean =>
  isTrue(migration, 'Succeeded') || isTrue(migration, 'Failed');

class Migrator {
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  get #migrations() {
    return this.#context.client.resource('storagemigration.k8s.io/v1beta1/storageversionmigrations');
  }

  async reconcile(name: string): Promise<void> {
    const { signal } = this.#context;
    const { items } = await this.#migrations.list({ signal });
    const migration = items.find(({ metadata }) => metadata.name === name);
    if (!migration) return;
    if (isOver(migration)) {
      if (isTrue(migration, 'Running'))
        await this.#setConditions(migration, [
          { type: 'Running', status: 'False', reason: 'MigrationCompleted', message: 'Migration completed' },
        ]);
      // Others of the resource have waited for this one.
      const next = oldestPending(items, migration);
      if (next) await this.#advance(next);
      return;
    }
    if (oldestPending(items, migration)?.metadata.name === name) await this.#advance(migration);
  }

  async #advance(migration: StorageVersionMigration): Promise<void> {
    const running = isTrue(migration, 'Running')
      ? migration
      : await this.#setConditions(migration, [
          { type: 'Running', status: 'True', reason: 'MigrationRunning', message: 'The migration is running' },
        ]);
    const resource = this.#resourceOf(running);
    if (!resource) {
      const age = this.#context.clock.now() - parseTime(running.metadata.creationTimestamp ?? '');
      if (age < PATIENCE_MS) throw new Error('the resource is not discovered yet');
      await this.#fail(running, 'resource does not exist in discovery');
    } else if (!NEEDED_VERBS.every((verb) => resource.verbs.includes(verb))) {
      const gvr = `${apiVersionOf(resource)}, Resource=${resource.plural}`;
      await this.#fail(running, `resource "${gvr}" does not support discovery operations: [${NEEDED_VERBS.join(' ')}]`);
    } else await this.#migrate(await this.#withResourceVersion(running, resource), resource);
  }

  #resourceOf({ spec }: StorageVersionMigration): DiscoveredResource | undefined {
    const { group = '', resource: plural = '' } = spec?.resource ?? {};
    return this.#context.discovered.resources.find((found) => found.group === group && found.plural === plural);
  }

  /** Whatever is written after this list is stored in the present version. */
  async #withResourceVersion(
    migration: StorageVersionMigration,
    resource: DiscoveredResource,
  ): Promise<StorageVersionMigration> {
    if (migration.status?.resourceVersion) return migration;
    const { client, signal } = this.#context;
    const { metadata } = await client.resource(resource).list({ limit: 1, signal });
    const status = { ...migration.status, resourceVersion: metadata.resourceVersion ?? '' };
    return this.#migrations.updateStatus({ ...migration, status }, { signal });
  }

  async #migrate(migration: StorageVersionMigration, resource: DiscoveredResource): Promise<void> {
    const { client, signal } = this.#context;
    const before = BigInt(migration.status?.resourceVersion ?? 0);
    const objects = client.resource(resource);
    const { kind } = resource;
    for (let from: string | undefined = undefined; ;) {
      const page: Awaited<ReturnType<typeof objects.list>> = await objects.list({
        limit: PAGE,
        ...(from === undefined ? {} : { continue: from }),
        signal,
      });
      for (const { metadata } of page.items) {
        const { uid, resourceVersion = '0', namespace, name = '' } = metadata;
        if (BigInt(resourceVersion) > before) continue;
        const place = { name, ...(namespace === undefined ? {} : { namespace }) };
        const configuration = { apiVersion: apiVersionOf(resource), kind, metadata: { uid, resourceVersion } };
        try {
          await objects.patch(place, configuration, { type: 'apply', fieldManager: NAME, signal });
        } catch (error) {
          // Somebody else has written or deleted the object meanwhile.
          if (isConflict(error) || isNotFound(error)) continue;
          if (!isStatusError(error) || RETRIED.includes(error.reason)) throw error;
          await this.#fail(migration, `migration encountered unhandled error: ${errorMessage(error)}`);
          return;
        }
      }
      from = page.metadata.continue;
      if (!from) break;
    }
    await this.#setConditions(migration, [
      { type: 'Succeeded', status: 'True', reason: 'StorageVersionMigrationSucceeded', message: '' },
    ]);
  }

  async #fail(migration: StorageVersionMigration, message: string): Promise<void> {
    await this.#setConditions(migration, [
      { type: 'Failed', status: 'True', reason: 'StorageVersionMigrationFailed', message },
    ]);
  }

  #setConditions(
    migration: StorageVersionMigration,
    conditions: readonly Omit<Condition, 'lastTransitionTime'>[],
  ): Promise<StorageVersionMigration> {
    const lastTransitionTime = formatTime(this.#context.clock.now());
    const kept = (migration.status?.conditions ?? []).filter(({ type }) =>
      conditions.every((one) => one.type !== type),
    );
    const status = {
      ...migration.status,
      conditions: [...kept, ...conditions.map((condition) => ({ ...condition, lastTransitionTime }))],
    };
    return this.#migrations.updateStatus({ ...migration, status }, { signal: this.#context.signal });
  }
}

/** Which migration of the same resource is to run now. */
function oldestPending(
  all: readonly StorageVersionMigration[],
  { spec }: StorageVersionMigration,
): StorageVersionMigration | undefined {
  const place = ({ metadata }: StorageVersionMigration): string => `${metadata.creationTimestamp} ${metadata.name}`;
  return all
    .filter(
      (other) =>
        other.spec?.resource.group === spec?.resource.group &&
        other.spec?.resource.resource === spec?.resource.resource &&
        !isOver(other),
    )
    .sort((a, b) => (place(a) < place(b) ? -1 : 1))[0];
}
